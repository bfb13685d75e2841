import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { nodeFileSystem } from '../../../src/run-directory/file-system.js';
import { deliverAnswer } from '../../../src/setup/deliver-answer.js';
import { cutOff, eventsOf, gated, openRegistry, until, untilStatus } from './harness.js';

describe('§9.5 answers', () => {
  test('of two at once, exactly one counts', async () => {
    const { registry } = await openRegistry();
    for (let round = 0; round < 5; round += 1) {
      const { id } = await registry.submit(gated);
      await until(() => registry.questions(id).length === 1);
      const both = await Promise.allSettled([
        registry.answer(id, 'gate', 'A'),
        registry.answer(id, 'gate', 'F'),
      ]);
      const won = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      const lost = both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      expect(won).toHaveLength(1);
      expect(lost).toMatchObject([{ code: 'conflict' }]);
      await untilStatus(registry, id, 'success');
      const settled = (await eventsOf(registry, id)).filter(({ type }) => type === 'InterviewCompleted');
      expect(settled).toMatchObject([{ answer: { value: won[0]?.value } }]);
    }
  });

  test('that are acknowledged are in the journal', async () => {
    const { registry } = await openRegistry();
    const { id } = await registry.submit(gated);
    await until(() => registry.questions(id).length === 1);
    await registry.answer(id, 'gate', 'A');
    const events = eventsOf(registry, id);
    expect((await events).some(({ type }) => type === 'InterviewCompleted')).toBe(true);
    expect(registry.questions(id)).toEqual([]);
  });

  test('of two at once, the one that counts is told so, whatever the run asks next', async () => {
    const { registry } = await openRegistry();
    const { id } = await registry.submit({
      dot: `digraph Twice {
        start [shape=Mdiamond]
        first [shape=hexagon]
        second [shape=hexagon]
        done [shape=Msquare]
        start -> first
        first -> second [label="[A] Approve"]
        second -> done [label="[A] Approve"]
      }`,
    });
    await until(() => registry.questions(id).length === 1);
    const both = await Promise.allSettled([
      registry.answer(id, 'first', 'A'),
      registry.answer(id, 'first', 'A'),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(registry.detail(id).status).toBe('running');
  });

  test('that cannot be written down are not acknowledged', async () => {
    const { registry } = await openRegistry();
    const { id } = await registry.submit(gated);
    await until(() => registry.questions(id).length === 1);
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    const write = vi.spyOn(nodeFileSystem, 'write').mockImplementation(() => {
      throw full;
    });
    onTestFinished(() => write.mockRestore());
    await expect(registry.answer(id, 'gate', 'A')).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('events.jsonl'),
    });
  });

  test('76: to a run that was cancelled are refused, and it asks nothing', async () => {
    const { registry, home } = await openRegistry();
    const { id } = await registry.submit(gated);
    await until(() => registry.questions(id).length === 1);
    await registry.cancel(id);
    expect(registry.questions(id)).toEqual([]);
    expect(registry.detail(id)).toMatchObject({ status: 'cancelled', questions: [] });
    await expect(registry.answer(id, 'gate', 'A')).rejects.toMatchObject({ code: 'conflict' });
    expect(existsSync(path.join(home, id, 'open-questions', 'gate.1.1.1.answer.json'))).toBe(false);
    await registry.resume(id, {});
    await until(() => registry.questions(id).length === 1);
    await registry.answer(id, 'gate', 'A');
    await untilStatus(registry, id, 'success');
  });

  test('may come from a shell, by files', async () => {
    const { registry, home } = await openRegistry();
    const { id } = await registry.submit(gated);
    await until(() => registry.questions(id).length === 1);
    const [question] = registry.detail(id).questions;
    if (question === undefined) throw new Error('no question');
    expect(await deliverAnswer(path.join(home, id), question, { value: 'F' })).toBe('taken');
    await untilStatus(registry, id, 'success');
    expect(
      (await eventsOf(registry, id)).some((event) => 'node_id' in event && event.node_id === 'fix'),
    ).toBe(true);
  });

  test('reach the questions of child runs', async () => {
    const { registry, directory } = await openRegistry({ allowTools: true });
    mkdirSync(path.join(directory, 'below'));
    writeFileSync(path.join(directory, 'below', 'child.dot'), gated.dot);
    const { id } = await registry.submit({
      dot: 'digraph Above { start [shape=Mdiamond] sub [type="pipeline", child="below/child.dot"] done [shape=Msquare] start -> sub -> done }',
    });
    await until(() => registry.questions(id).length === 1);
    const [question] = registry.questions(id);
    expect(question).toMatchObject({ stage: 'sub/gate' });
    expect(registry.detail(id).child_runs).toMatchObject([
      { node_id: 'sub', questions: [{ stage: 'gate' }] },
    ]);
    expect(await registry.answer(id, question?.id ?? '', 'A')).toMatchObject({
      value: 'A',
      delivery: 'taken',
    });
    await expect(registry.answer(id, question?.id ?? '', 'A')).rejects.toMatchObject({ code: 'conflict' });
    await untilStatus(registry, id, 'success');
  });

  test('of two at once, from the page and from a shell, exactly one counts', async () => {
    const { registry, home } = await openRegistry();
    const { id } = await registry.submit(gated);
    await until(() => registry.questions(id).length === 1);
    const [question] = registry.detail(id).questions;
    if (question === undefined) throw new Error('no question');
    const both = await Promise.allSettled([
      deliverAnswer(path.join(home, id), question, { value: 'F' }),
      registry.answer(id, 'gate', 'A'),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await untilStatus(registry, id, 'success');
    const settled = (await eventsOf(registry, id)).filter(({ type }) => type === 'InterviewCompleted');
    expect(settled).toMatchObject([{ answer: { value: both[1].status === 'fulfilled' ? 'A' : 'F' } }]);
  });

  test('reach the question of a child that is yet to continue with its run', async () => {
    const before = await openRegistry({ allowTools: true });
    writeFileSync(path.join(before.directory, 'child.dot'), gated.dot);
    const { id } = await before.registry.submit({
      dot: 'digraph Above { start [shape=Mdiamond] sub [type="pipeline", child="child.dot"] done [shape=Msquare] start -> sub -> done }',
    });
    await until(() => before.registry.questions(id).length === 1);
    const [question] = before.registry.questions(id);
    const { registry } = await openRegistry({ allowTools: true }, cutOff(before));
    expect(await registry.answer(id, question?.id ?? '', 'A')).toMatchObject({
      value: 'A',
      delivery: 'taken',
    });
    await untilStatus(registry, id, 'success');
  });
});
