import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Execution, start } from '../../../src/run/execution.js';
import { run } from '../../../src/run/run.js';
import { repositoryWith } from '../../integration/workspaces/git/repository.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import {
  endless,
  eventsOf,
  gated,
  openRegistry,
  quick,
  type TestRegistry,
  until,
  untilStatus,
} from './harness.js';

describe('§9.5 runs of the server', () => {
  test('are paused, and continue where they were', async () => {
    const { registry } = await openRegistry();
    const { id } = await registry.submit(gated);
    await until(() => registry.questions(id).length === 1);
    const followed = eventsOf(registry, id);
    await registry.pause(id, { reason: 'enough for today' });
    await untilStatus(registry, id, 'paused');
    await until(() => registry.detail(id).executed_by === null);
    expect(registry.detail(id)).toMatchObject({
      paused_reason: 'enough for today',
      actions: ['cancel', 'resume', 'fork'],
    });
    expect(await registry.pause(id, {})).toEqual({ id, status: 'paused' });
    expect(registry.list({ limit: 1 }).runs[0]).toMatchObject({ status: 'paused', open_questions: 1 });
    expect(await registry.resume(id, {})).toEqual({ id, status: 'running' });
    await until(() => registry.questions(id).length === 1);
    await registry.answer(id, 'gate', 'A');
    const events = await followed;
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)?.type).toBe('PipelineCompleted');
  });

  test('stay paused when somebody answers what a person has paused', async () => {
    const { registry } = await openRegistry();
    const { id } = await registry.submit(gated);
    await until(() => registry.questions(id).length === 1);
    await registry.pause(id, {});
    await untilStatus(registry, id, 'paused');
    expect(await registry.answer(id, 'gate', 'A')).toMatchObject({ delivery: 'kept' });
    expect(registry.detail(id).status).toBe('paused');
    expect(registry.questions(id)).toMatchObject([{ answered: true }]);
    await expect(registry.answer(id, 'gate', 'F')).rejects.toMatchObject({
      code: 'conflict',
      // Paths of the server are not for its clients.
      message: '"gate" has already been answered with "[A] Approve", and the first answer counts',
    });
    await registry.resume(id, {});
    await untilStatus(registry, id, 'success');
  });

  test('wait for a place when they are to continue', async () => {
    const { registry, home } = await openRegistry({ maxRunning: 1 });
    const { id } = await registry.submit(endless);
    await until(() => registry.detail(id).stages.length > 0);
    await registry.pause(id, { mode: 'now' });
    await untilStatus(registry, id, 'paused');
    const other = await registry.submit(endless);
    expect(await registry.resume(id, {})).toEqual({ id, status: 'queued' });
    expect(registry.detail(id)).toMatchObject({ status: 'queued', queue_position: 0 });
    await expect(registry.resume(id, {})).rejects.toMatchObject({ code: 'conflict' });
    expect(JSON.parse(readFileSync(path.join(home, id, 'queued.json'), 'utf8'))).toMatchObject({
      kind: 'resume',
    });
    await registry.cancel(other.id);
    await untilStatus(registry, id, 'running');
  });

  test('tell why they could not continue when it was their turn, until they do', async () => {
    const { registry, home } = await openRegistry({ maxRunning: 1 });
    const { id } = await registry.submit(endless);
    await until(() => registry.detail(id).stages.length > 0);
    await registry.pause(id, { mode: 'now' });
    await untilStatus(registry, id, 'paused');
    const other = await registry.submit(endless);
    await registry.resume(id, {});
    const file = path.join(home, id, 'pipeline.dot');
    const dot = readFileSync(file, 'utf8');
    writeFileSync(file, 'digraph Other { start [shape=Mdiamond] done [shape=Msquare] start -> done }');
    await registry.cancel(other.id);
    await untilStatus(registry, id, 'paused');
    const why = expect.stringMatching(/pipeline/);
    await until(() => registry.detail(id).failure_reason !== null, 'the reason');
    expect(registry.detail(id)).toMatchObject({ status: 'paused', failure_reason: why });
    expect(JSON.parse(registry.detailText(id))).toMatchObject({ failure_reason: why });
    expect(registry.list({ limit: 5, status: 'paused' }).runs).toMatchObject([{ id, failure_reason: why }]);
    writeFileSync(file, dot);
    await registry.resume(id, {});
    await untilStatus(registry, id, 'running');
    await until(() => registry.detail(id).failure_reason === null, 'nothing to tell');
    await registry.pause(id, { mode: 'now' });
    await untilStatus(registry, id, 'paused');
    expect(registry.detail(id).failure_reason).toBeNull();
  });

  test('76: a run that waits to continue is cancelled', async () => {
    const { registry } = await openRegistry({ maxRunning: 1 });
    const { id } = await registry.submit(endless);
    await until(() => registry.detail(id).stages.length > 0);
    await registry.pause(id, { mode: 'now' });
    await untilStatus(registry, id, 'paused');
    await registry.submit(endless);
    await registry.resume(id, {});
    expect(await registry.cancel(id)).toEqual({ id, status: 'cancelled' });
    expect(registry.counts()).toMatchObject({ running: 1, queued: 0 });
  });

  test('continue after they were cancelled, and at another node after they have succeeded', async () => {
    const { registry } = await openRegistry();
    const { id } = await registry.submit(quick);
    await untilStatus(registry, id, 'success');
    await expect(registry.resume(id, {})).rejects.toMatchObject({ code: 'conflict' });
    await expect(registry.resume(id, { from: 'nowhere' })).rejects.toMatchObject({ code: 'bad_request' });
    await registry.resume(id, { from: 'work' });
    await untilStatus(registry, id, 'success');
    const events = await eventsOf(registry, id);
    expect(events.filter(({ type }) => type === 'PipelineCompleted')).toHaveLength(2);
  });

  test('are forked, each with a place of its own to work in', async () => {
    const { registry, home } = await openRegistry();
    const { id } = await registry.submit(quick);
    await untilStatus(registry, id, 'success');
    writeFileSync(path.join(home, id, 'work-place', 'made.txt'), 'made');
    const forked = await registry.fork(id, { at: 'work', resume: true });
    expect(forked.id).not.toBe(id);
    await untilStatus(registry, forked.id, 'success');
    await until(() => registry.detail(forked.id).executed_by === null);
    expect(registry.detail(forked.id)).toMatchObject({ forked_from: { run_id: id } });
    const place = path.join(home, forked.id, 'work-place');
    expect(readFileSync(path.join(place, 'made.txt'), 'utf8')).toBe('made');
    const manifest = JSON.parse(readFileSync(path.join(home, forked.id, 'manifest.json'), 'utf8'));
    expect(manifest.working_directory).toBe(place);
    await expect(registry.fork(id, { at: 'nowhere' })).rejects.toMatchObject({ code: 'bad_request' });
  });

  test('that may not continue once they are forked leave no fork behind', async () => {
    const { registry, home } = await openRegistry();
    const { id } = await registry.submit({
      dot: 'digraph Tooled { start [shape=Mdiamond] work [shape=parallelogram, tool_command="ls"] done [shape=Msquare] start -> work -> done }',
      simulate: true,
    });
    await untilStatus(registry, id, 'success');
    const file = path.join(home, id, 'manifest.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    // As if somebody had begun it for good, from a shell.
    const options = { ...manifest.options, simulate: false };
    writeFileSync(file, JSON.stringify({ ...manifest, options }));
    const refused = registry.fork(id, { at: 'work', resume: true });
    await expect(refused).rejects.toMatchObject({ code: 'not_allowed' });
    expect(readdirSync(home).filter((name) => name !== 'server.lock')).toEqual([id]);
    const { id: kept } = await registry.fork(id, { at: 'work' });
    expect(registry.detail(kept)).toMatchObject({ forked_from: { run_id: id } });
  });

  test.each([
    [false, undefined, 'not_allowed'],
    [false, true, undefined],
    [true, undefined, undefined],
  ])(
    'whose files git keeps continue only where commands may run (%s), or only pretending to (%s)',
    async (allowTools, simulate, code) => {
      const { directory } = repositoryWith({ 'a.txt': 'a' });
      const home = path.join(directory, '.attractor', 'runs');
      const paused = new AbortController();
      paused.abort();
      const started = await run(quick.dot.replace('work [', 'work [llm_provider=simulated, '), {
        ...{ git: true, workingDirectory: directory, runDirectory: path.join(home, 'begun') },
        pauseSignal: paused.signal,
      });
      expect(started.status).toBe('paused');
      const { registry } = await openRegistry({ allowTools }, directory);
      const resumed = registry.resume('begun', simulate === undefined ? {} : { simulate });
      if (code === undefined) await expect(resumed).resolves.toMatchObject({ id: 'begun' });
      else await expect(resumed).rejects.toMatchObject({ code, message: expect.stringContaining('git') });
    },
  );

  test('are given no secret that is queued with them', async () => {
    const secret = 'sk-abcdefghijklmnop-0123456789';
    const { registry, home } = await openRegistry({
      maxRunning: 1,
      variables: { HOME: temporaryDirectory(), OPENAI_API_KEY: secret },
    });
    const { id } = await registry.submit({ ...endless });
    await until(() => registry.detail(id).stages.length > 0);
    await registry.cancel(id);
    await registry.submit(endless);
    const asked = { inputs: { note: `the key is ${secret}`, other: 'kept' } };
    expect(await registry.resume(id, asked)).toEqual({ id, status: 'queued' });
    const waiting = readFileSync(path.join(home, id, 'queued.json'), 'utf8');
    expect(waiting).not.toContain(secret);
    expect(waiting).toContain('kept');
  });

  test('that break take nothing with them', async () => {
    const { registry, logged } = await openRegistry();
    registry.onRunEvent(() => {
      throw new Error('a listener of ours has a bug');
    });
    const { id } = await registry.submit(quick);
    await untilStatus(registry, id, 'success');
    expect(logged.some(({ level, message }) => level === 'error' && message.includes('a bug'))).toBe(true);
  });
});

describe('§9.5 runs of others', () => {
  function byHand({ home, directory }: TestRegistry, dot: string): Execution {
    return start(dot, {
      ...{ runId: 'by-hand', runDirectory: path.join(home, 'by-hand'), workingDirectory: directory },
      script: { nodes: new Map([['work', [{ outcome: 'success', delay: 3_600_000 }]]]), answers: new Map() },
    });
  }

  test('are listed, followed, paused, resumed here and cancelled', async () => {
    const server = await openRegistry();
    const { registry } = server;
    const execution = byHand(server, endless.dot);
    await until(() => registry.list({ limit: 1 }).runs[0]?.status === 'running');
    await untilStatus(registry, 'by-hand', 'running');
    await expect(registry.resume('by-hand', {})).rejects.toMatchObject({ code: 'conflict' });
    const followed = eventsOf(registry, 'by-hand');
    await registry.pause('by-hand', { mode: 'now' });
    expect(await execution.result).toMatchObject({ status: 'paused' });
    await untilStatus(registry, 'by-hand', 'paused');
    expect(await registry.resume('by-hand', {})).toMatchObject({ status: 'running' });
    await until(() => registry.detail('by-hand').stages.length > 0);
    await registry.cancel('by-hand');
    const events = await followed;
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)?.type).toBe('PipelineCancelled');
  });

  test('are cancelled in the process that executes them', async () => {
    const server = await openRegistry();
    const execution = byHand(server, endless.dot);
    await until(() => server.registry.list({ limit: 1 }).runs[0]?.status === 'running');
    const cancelled = server.registry.cancel('by-hand');
    expect(await execution.result).toMatchObject({ status: 'cancelled' });
    expect(await cancelled).toMatchObject({ status: 'cancelled' });
  });

  test.each(['', '..', '../by-hand', '.', 'a/b', '__proto__', 'constructor', '\u0000', 'server.lock'])(
    'an id that is none: %j',
    async (id) => {
      const { registry } = await openRegistry();
      await registry.submit(quick);
      const missing = expect.objectContaining({ code: 'not_found' });
      expect(() => registry.directory(id)).toThrow(missing);
      expect(() => registry.detail(id)).toThrow(missing);
      expect(() => registry.detailText(id)).toThrow(missing);
      expect(() => registry.events(id, { signal: new AbortController().signal })).toThrow(missing);
      expect(() => registry.questions(id)).toThrow(missing);
      for (const asked of [
        registry.cancel(id),
        registry.pause(id, {}),
        registry.resume(id, {}),
        registry.fork(id, {}),
        registry.answer(id, 'gate', 'A'),
      ])
        await expect(asked).rejects.toMatchObject({ code: 'not_found' });
    },
  );
});
