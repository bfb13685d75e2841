import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { turns } from '../../support/interviewers.js';
import { cutOff, endless, eventsOf, openRegistry, quick, until, untilStatus } from './harness.js';

const one = { maxRunning: 1 };

describe('§9.5 the queue', () => {
  test('runs wait for a place, and begin in the order in which they came', async () => {
    const { registry } = await openRegistry(one);
    const began: string[] = [];
    registry.onRunEvent(({ type, run_id }) => {
      if (type === 'PipelineStarted') began.push(run_id);
    });
    const first = await registry.submit(endless);
    const second = await registry.submit(quick);
    const third = await registry.submit(quick);
    expect([first, second, third].map(({ status }) => status)).toEqual(['running', 'queued', 'queued']);
    expect(registry.detail(second.id)).toMatchObject({
      status: 'queued',
      queue_position: 0,
      actions: ['cancel'],
    });
    expect(registry.detail(third.id)).toMatchObject({ name: 'Quick', queue_position: 1, executed_by: null });
    expect(registry.counts()).toMatchObject({ running: 1, queued: 2 });
    expect(
      registry
        .list({ limit: 5, status: 'queued' })
        .runs.map(({ id }) => id)
        .sort(),
    ).toEqual([second.id, third.id].sort());
    await registry.cancel(first.id);
    await untilStatus(registry, third.id, 'success');
    expect(began).toEqual([first.id, second.id, third.id]);
  });

  test('whoever follows a run that waits gets all of its events', async () => {
    const { registry } = await openRegistry(one);
    const first = await registry.submit(endless);
    const second = await registry.submit(quick);
    const followed = eventsOf(registry, second.id);
    await registry.cancel(first.id);
    const events = await followed;
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)?.type).toBe('PipelineCompleted');
  });

  test('it has an end', async () => {
    const { registry } = await openRegistry({ ...one, maxQueued: 1 });
    await registry.submit(endless);
    await registry.submit(quick);
    await expect(registry.submit(quick)).rejects.toMatchObject({
      code: 'too_many_requests',
      retryAfter: expect.any(Number),
    });
    expect(registry.list({ limit: 5 }).runs).toHaveLength(2);
  });

  test('76: a run that waits is cancelled, and has done nothing', async () => {
    const { registry, home } = await openRegistry(one);
    await registry.submit(endless);
    const { id } = await registry.submit(quick);
    expect(await registry.cancel(id)).toEqual({ id, status: 'cancelled' });
    const types = (await eventsOf(registry, id)).map(({ type }) => type);
    expect(types).toContain('PipelineCancelled');
    expect(types).not.toContain('StageCompleted');
    expect(existsSync(path.join(home, id, 'work'))).toBe(false);
  });

  test('pausing and forking what has not begun is refused', async () => {
    const { registry } = await openRegistry(one);
    await registry.submit(endless);
    const { id } = await registry.submit(quick);
    await expect(registry.pause(id, {})).rejects.toMatchObject({ code: 'conflict' });
    await expect(registry.resume(id, {})).rejects.toMatchObject({ code: 'conflict' });
    await expect(registry.fork(id, {})).rejects.toMatchObject({ code: 'conflict' });
    expect(registry.questions(id)).toEqual([]);
  });

  test('it outlives the death of the server, in order', async () => {
    const before = await openRegistry(one);
    const first = await before.registry.submit(endless);
    const ids = [first.id];
    for (let index = 0; index < 4; index += 1) ids.push((await before.registry.submit(quick)).id);
    const copy = cutOff(before);
    const { registry } = await openRegistry(one, copy);
    expect(registry.counts()).toMatchObject({ running: 1, queued: 4 });
    const began: string[] = [];
    registry.onRunEvent(({ type, run_id }) => {
      if (type === 'PipelineStarted') began.push(run_id);
    });
    await until(() => registry.detail(first.id).stages.length > 0);
    await registry.cancel(first.id);
    for (const id of ids.slice(1)) await untilStatus(registry, id, 'success');
    expect(began).toEqual(ids.slice(1));
  });

  test('it waits where nothing can be written, and continues in order when there is room again', async () => {
    const { registry, home, logged } = await openRegistry(one);
    const first = await registry.submit(endless);
    const second = await registry.submit(quick);
    const third = await registry.submit(quick);
    const began: string[] = [];
    registry.onRunEvent(({ type, run_id }) => {
      if (type === 'PipelineStarted') began.push(run_id);
    });
    // What the server writes there does not replace a directory.
    const inTheWay = path.join(home, second.id, 'server.json');
    mkdirSync(path.join(inTheWay, 'x'), { recursive: true });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await registry.cancel(first.id);
    while (!logged.some(({ message }) => message.startsWith('the run could not start'))) await turns();
    expect(registry.counts()).toMatchObject({ running: 0, queued: 2 });
    expect(registry.detail(second.id)).toMatchObject({ status: 'queued', queue_position: 0 });
    rmSync(inTheWay, { recursive: true });
    vi.advanceTimersByTime(3000);
    vi.useRealTimers();
    await untilStatus(registry, third.id, 'success');
    expect(began).toEqual([second.id, third.id]);
  });

  test('who removes a run that waits has it wait no longer', async () => {
    const { registry, home } = await openRegistry(one);
    const first = await registry.submit(endless);
    const second = await registry.submit(quick);
    const third = await registry.submit(quick);
    rmSync(path.join(home, second.id), { recursive: true });
    await registry.cancel(first.id);
    await untilStatus(registry, third.id, 'success');
    expect(() => registry.detail(second.id)).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(existsSync(path.join(home, second.id))).toBe(false);
  });

  test('what is no longer allowed when it is its turn has failed, and says why', async () => {
    const tool = {
      dot: 'digraph T { start [shape=Mdiamond] t [shape=parallelogram, tool_command="true"] done [shape=Msquare] start -> t -> done }',
    };
    const before = await openRegistry({ ...one, allowTools: true });
    await before.registry.submit(endless);
    const { id } = await before.registry.submit(tool);
    const copy = cutOff(before);
    const { registry } = await openRegistry({ maxRunning: 2 }, copy);
    await untilStatus(registry, id, 'fail');
    expect(registry.detail(id)).toMatchObject({
      failure_reason: expect.stringContaining('--allow-tools'),
      actions: [],
    });
    expect(registry.list({ limit: 5, status: 'fail' }).runs).toMatchObject([{ id, status: 'fail' }]);
    await expect(registry.resume(id, {})).rejects.toMatchObject({ code: 'conflict' });
    await registry.close();
    const again = await openRegistry({}, copy);
    expect(again.registry.detail(id).status).toBe('fail');
  });
});
