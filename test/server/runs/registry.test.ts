import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { endless, eventsOf, gated, openRegistry, quick, until, untilStatus } from './harness.js';

describe('§9.5 a submitted pipeline', () => {
  test('runs, is listed, and tells all its events', async () => {
    const { registry, home } = await openRegistry();
    const { id, status } = await registry.submit(quick);
    expect(status).toBe('running');
    const events = await eventsOf(registry, id);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)?.type).toBe('PipelineCompleted');
    await untilStatus(registry, id, 'success');
    expect(registry.list({ limit: 10 }).runs).toMatchObject([
      { id, name: 'Quick', goal: 'quick things', status: 'success', steps: 1, cost_usd: 0, tokens: 0 },
    ]);
    expect(registry.detail(id)).toMatchObject({
      id,
      status: 'success',
      executed_by: null,
      actions: ['fork'],
    });
    expect(JSON.parse(registry.detailText(id))).toEqual(registry.detail(id));
    expect(JSON.parse(readFileSync(path.join(home, id, 'manifest.json'), 'utf8'))).toMatchObject({
      run_id: id,
      working_directory: path.join(home, id, 'work-place'),
    });
  });

  test('76: is cancelled', async () => {
    const { registry } = await openRegistry();
    const { id } = await registry.submit(endless);
    expect(registry.detail(id)).toMatchObject({ status: 'running', executed_by: 'server' });
    expect(await registry.cancel(id)).toEqual({ id, status: 'cancelled' });
    await expect(registry.cancel(id)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('asks at the server', async () => {
    const { registry, home } = await openRegistry();
    const { id } = await registry.submit(gated);
    await untilStatus(registry, id, 'running');
    await until(() => registry.questions(id).length === 1);
    const [question] = registry.questions(id);
    expect(question).toMatchObject({
      stage: 'gate',
      text: 'Ship it?',
      options: [{ key: 'A' }, { key: 'F' }],
    });
    await expect(registry.answer(id, question?.id ?? '', 'no idea')).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('Approve'),
    });
    expect(await registry.answer(id, question?.id ?? '', 'f')).toEqual({
      value: 'F',
      label: '[F] Fix',
      delivery: 'taken',
    });
    await untilStatus(registry, id, 'success');
    expect(existsSync(path.join(home, id, 'fix'))).toBe(true);
    await expect(registry.answer(id, question?.id ?? '', 'f')).rejects.toMatchObject({ code: 'conflict' });
    await expect(registry.answer(id, 'nothing', 'f')).rejects.toMatchObject({ code: 'not_found' });
  });
});
