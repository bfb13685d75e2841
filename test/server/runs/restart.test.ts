import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { start } from '../../../src/run/execution.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import {
  cutOff,
  endless,
  eventsOf,
  gated,
  openRegistry,
  quick,
  type TestRegistry,
  until,
  untilStatus,
} from './harness.js';

describe('§9.5 a server that is started again', () => {
  test('continues with what was cut off', async () => {
    const before = await openRegistry();
    const { id } = await before.registry.submit(gated);
    await until(() => before.registry.questions(id).length === 1);
    const { registry } = await openRegistry({}, cutOff(before));
    await until(() => registry.questions(id).length === 1);
    expect(registry.detail(id)).toMatchObject({ status: 'running', executed_by: 'server' });
    await registry.answer(id, 'gate', 'A');
    await untilStatus(registry, id, 'success');
    const events = await eventsOf(registry, id);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.filter(({ type }) => type === 'PipelineResumed')).toHaveLength(1);
  });

  test('takes an answer to what it has yet to ask again, however long a plugin needs to be ready', async () => {
    const directory = temporaryDirectory();
    const plugin = path.join(directory, 'slow.mjs');
    writeFileSync(
      plugin,
      `export default async () => {
        await new Promise((resolve) => setTimeout(resolve, 300));
        return { name: 'slow' };
      };\n`,
    );
    const before = await openRegistry(
      { extensions: { config: false, provider: 'simulated', plugin: [plugin] } },
      directory,
    );
    const { id } = await before.registry.submit(gated);
    await until(() => before.registry.questions(id).length === 1);
    const { registry } = await openRegistry({}, cutOff(before));
    expect(registry.questions(id)).toHaveLength(1);
    expect(await registry.answer(id, 'gate', 'A')).toMatchObject({ value: 'A', delivery: 'taken' });
    await untilStatus(registry, id, 'success');
  });

  test('only offers it where it is told to, and continues when somebody answers', async () => {
    const before = await openRegistry();
    const { id } = await before.registry.submit(gated);
    await until(() => before.registry.questions(id).length === 1);
    const { registry, logged } = await openRegistry({ onRestart: 'offer' }, cutOff(before));
    expect(registry.detail(id)).toMatchObject({ status: 'interrupted', executed_by: null });
    expect(logged).toMatchObject([{ level: 'warning', fields: { runs: id } }]);
    expect(registry.questions(id)).toMatchObject([{ stage: 'gate', answered: false }]);
    expect(await registry.answer(id, 'gate', 'approve')).toMatchObject({ value: 'A', delivery: 'kept' });
    await untilStatus(registry, id, 'success');
  });

  test('continues with what it paused when it was stopped, and says so in the journal', async () => {
    const { registry, directory } = await openRegistry();
    const { id } = await registry.submit(endless);
    await until(() => registry.detail(id).stages.length > 0);
    await registry.close();
    expect(registry.detail(id)).toMatchObject({ status: 'paused', paused_reason: 'the server was stopped' });
    await expect(registry.submit(quick)).rejects.toMatchObject({ code: 'conflict' });
    const again = await openRegistry({}, directory);
    await until(() => again.registry.detail(id).status === 'running');
    expect(again.registry.detail(id).executed_by).toBe('server');
  });

  test('offers what broke off twice, and takes it up again once a person has resumed it', async () => {
    const first = await openRegistry();
    const { id } = await first.registry.submit(gated);
    const asks = ({ registry }: TestRegistry) => until(() => registry.questions(id).length === 1);
    await asks(first);
    const second = await openRegistry({}, cutOff(first));
    await until(() => second.registry.detail(id).status === 'running');
    await asks(second);
    const third = await openRegistry({}, cutOff(second));
    expect(third.registry.detail(id)).toMatchObject({ status: 'interrupted', executed_by: null });
    expect(third.logged).toMatchObject([
      { level: 'warning', message: expect.stringContaining('broke off twice'), fields: { runs: id } },
    ]);
    const fourth = await openRegistry({}, cutOff(third));
    expect(fourth.registry.detail(id).status).toBe('interrupted');
    await fourth.registry.resume(id, {});
    await until(() => fourth.registry.detail(id).status === 'running');
    const fifth = await openRegistry({}, cutOff(fourth));
    await until(() => fifth.registry.detail(id).status === 'running');
  });

  test('forgets that a run broke off once the run was stopped in order', async () => {
    const first = await openRegistry();
    const { id } = await first.registry.submit(endless);
    const runs = ({ registry }: TestRegistry) => until(() => registry.detail(id).stages.length > 0);
    await runs(first);
    const second = await openRegistry({}, cutOff(first));
    await runs(second);
    await second.registry.close();
    const third = await openRegistry({}, second.directory);
    await runs(third);
    const fourth = await openRegistry({}, cutOff(third));
    await until(() => fourth.registry.detail(id).status === 'running');
  });

  test('does not begin what broke off twice before it had begun', async () => {
    const before = await openRegistry({ maxRunning: 1 });
    const { id: running } = await before.registry.submit(endless);
    await until(() => before.registry.detail(running).stages.length > 0);
    const { id } = await before.registry.submit(quick);
    const copy = cutOff(before);
    const run = path.join(copy, path.relative(before.directory, before.home), id);
    writeFileSync(path.join(run, 'server.json'), JSON.stringify({ state: 'executing', broke_off: 1 }));
    const { registry } = await openRegistry({}, copy);
    expect(registry.detail(id)).toMatchObject({
      status: 'fail',
      failure_reason: expect.stringContaining('the server ended twice while the run was to begin'),
    });
    expect(registry.counts().queued).toBe(0);
  });

  test('leaves paused what a person has paused', async () => {
    const { registry, directory } = await openRegistry();
    const { id } = await registry.submit(endless);
    await until(() => registry.detail(id).stages.length > 0);
    await registry.pause(id, { mode: 'now', reason: 'lunch' });
    await untilStatus(registry, id, 'paused');
    await registry.close();
    const again = await openRegistry({}, directory);
    expect(again.registry.detail(id)).toMatchObject({ status: 'paused', paused_reason: 'lunch' });
    expect(again.registry.counts()).toMatchObject({ running: 0, queued: 0 });
  });

  test('leaves alone what another process has left', async () => {
    const before = await openRegistry();
    const execution = start(endless.dot, {
      ...{
        runId: 'by-hand',
        runDirectory: path.join(before.home, 'by-hand'),
        workingDirectory: before.directory,
      },
      script: { nodes: new Map([['work', [{ outcome: 'success', delay: 3_600_000 }]]]), answers: new Map() },
    });
    await until(() => before.registry.list({ limit: 1 }).runs[0]?.status === 'running');
    const copy = cutOff(before);
    execution.cancel();
    await execution.result;
    const { registry } = await openRegistry({}, copy);
    expect(registry.detail('by-hand')).toMatchObject({
      status: 'interrupted',
      actions: ['cancel', 'resume', 'fork'],
    });
    expect(await registry.cancel('by-hand')).toEqual({ id: 'by-hand', status: 'cancelled' });
  });

  test('lists what is damaged', async () => {
    const before = await openRegistry();
    const { id } = await before.registry.submit(quick);
    await untilStatus(before.registry, id, 'success');
    const copy = cutOff(before);
    const run = path.join(copy, path.relative(before.directory, before.home), id);
    writeFileSync(path.join(run, 'manifest.json'), 'no JSON');
    const { registry } = await openRegistry({}, copy);
    expect(registry.list({ limit: 1 }).runs).toMatchObject([{ id, status: 'damaged' }]);
    expect(registry.detail(id)).toMatchObject({
      status: 'damaged',
      actions: [],
      failure_reason: expect.any(String),
    });
    await expect(registry.resume(id, {})).rejects.toMatchObject({ code: 'conflict' });
    rmSync(run, { recursive: true });
    // A list that was just made is good for a moment.
    await until(() => registry.list({ limit: 1 }).runs.length === 0);
    expect(() => registry.detail(id)).toThrow(expect.objectContaining({ code: 'not_found' }));
  });

  test('another server has the same home', async () => {
    const { directory } = await openRegistry();
    await expect(openRegistry({}, directory)).rejects.toThrow(
      new RegExp(`another server \\(process ${process.pid}\\) already serves the runs.*--home DIR`),
    );
  });

  test.each([1, 9, 30])('all runs finish, none twice: the server died at event %i', async (moment) => {
    const before = await openRegistry({ maxRunning: 2 });
    let told = 0;
    let copy: string | undefined;
    before.registry.onRunEvent(() => {
      told += 1;
      if (told === moment) copy = cutOff(before);
    });
    const ids: string[] = [];
    for (let count = 0; count < 6 && copy === undefined; count += 1)
      ids.push((await before.registry.submit(quick)).id);
    await until(() => copy !== undefined);
    const { registry } = await openRegistry({ maxRunning: 2 }, copy);
    // One that was not acknowledged when the server died may be there or not.
    const listed = registry.list({ limit: 100 }).runs.map(({ id }) => id);
    expect(listed).toEqual(expect.arrayContaining(ids.slice(0, -1)));
    for (const id of listed) {
      await untilStatus(registry, id, 'success');
      const events = await eventsOf(registry, id);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect(events.filter(({ type }) => type === 'PipelineCompleted')).toHaveLength(1);
      const settled = events.filter((event) => event.type === 'StageCompleted' && event.node_id === 'work');
      expect(settled).toHaveLength(1);
    }
  });
});
