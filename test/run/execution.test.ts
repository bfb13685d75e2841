import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/machine/event.js';
import { type Execution, start, startResuming } from '../../src/run/execution.js';
import { absentInterviewer } from '../../src/run/questions/interviewer.js';
import { type RunOptions, run } from '../../src/run/run.js';
import { virtualClock } from '../../src/run/simulate/virtual-clock.js';
import { linkOf } from '../../src/run-directory/hashed-line.js';
import { readScript } from '../../src/run-directory/simulation-script.js';
import { faultyFileSystem } from '../support/faulty-file-system.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { pipeline } from './harness.js';

const line = pipeline('a', 'b', 'start -> a -> b -> exit');
const gate = pipeline('g [shape=hexagon, label="Go on?"]', 'start -> g', 'g -> exit [label="Yes"]');

function started(dot: string, options: RunOptions = {}): Execution {
  const runDirectory = path.join(temporaryDirectory(), 'run');
  return start(dot, { clock: virtualClock(), runDirectory, ...options });
}

async function all(events: AsyncIterable<RunEvent>): Promise<readonly RunEvent[]> {
  const collected: RunEvent[] = [];
  for await (const event of events) collected.push(event);
  return collected;
}

function journalOf(directory: string): readonly RunEvent[] {
  const lines = readFileSync(path.join(directory, 'events.jsonl'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(linkOf(line).text));
}

const sleeps = (delay: string) => readScript({ nodes: { a: { delay } } }, 'the test');

describe('9.6: a run with a handle', () => {
  test('is the run that `run` runs', async () => {
    const options = { simulate: true, seed: 7, sourcePath: 'a.dot' };
    const [one, other] = [path.join(temporaryDirectory(), 'run'), path.join(temporaryDirectory(), 'run')];
    const plain = await run(line, { ...options, runDirectory: one });
    const { runId, result } = start(line, { ...options, runDirectory: other });
    expect(await result).toEqual({ ...plain, run_id: runId, run_dir: other });
  });

  test('says where it is before anything is executed', async () => {
    const workingDirectory = temporaryDirectory();
    const seen: string[] = [];
    const execution = start(line, { clock: virtualClock(), workingDirectory, onEvent: () => seen.push('') });
    expect(seen).toEqual([]);
    expect(execution.directory).toBe(path.join(workingDirectory, '.attractor', 'runs', execution.runId));
    expect(await execution.result).toMatchObject({
      run_id: execution.runId,
      run_dir: execution.directory,
      status: 'success',
    });
  });

  test('gives the lines of its journal to every loop', async () => {
    const execution = started(line);
    const [one, other] = await Promise.all([all(execution.events()), all(execution.events({ from: 3 }))]);
    expect(await execution.result).toMatchObject({ status: 'success' });
    expect(one).toEqual(journalOf(execution.directory));
    expect(one.at(-1)?.type).toBe('PipelineCompleted');
    expect(other).toEqual(one.slice(2));
    expect(await all(execution.events())).toEqual(one);
  });

  test('gives an event when it is in the journal, as to an observer', async () => {
    const written: boolean[] = [];
    const runDirectory = path.join(temporaryDirectory(), 'run');
    const isWritten = ({ seq }: RunEvent): boolean => journalOf(runDirectory)[seq - 1]?.seq === seq;
    const execution = started(line, { runDirectory, onEvent: (event) => written.push(isWritten(event)) });
    for await (const event of execution.events()) written.push(isWritten(event));
    expect(written.length).toBe(2 * journalOf(runDirectory).length);
    expect(written.every(Boolean)).toBe(true);
  });

  test('continues to its end while a consumer has stopped reading', async () => {
    const execution = started(line, { script: sleeps('1h') });
    const events = execution.events();
    const first = await events.next();
    expect(first.value.type).toBe('PipelineStarted');
    expect(await execution.result).toMatchObject({ status: 'success' });
    const rest = await all(events);
    expect([first.value, ...rest]).toEqual(journalOf(execution.directory));
  });

  test('continues when a loop is left, and lets another one read all', async () => {
    const execution = started(line);
    for await (const event of execution.events()) if (event.type === 'StageStarted') break;
    await expect(
      (async () => {
        for await (const event of execution.events()) throw new Error(`no ${event.type} here`);
      })(),
    ).rejects.toThrow('no PipelineStarted here');
    expect(await execution.result).toMatchObject({ status: 'success' });
    expect(await all(execution.events())).toEqual(journalOf(execution.directory));
  });

  test('is cancelled', async () => {
    const execution = started(line, { script: sleeps('24h') });
    for await (const event of execution.events()) {
      if (event.type === 'StageStarted' && event.node_id === 'a') execution.cancel();
    }
    expect(await execution.result).toMatchObject({ status: 'cancelled' });
  });

  test.each([
    ['when what is running has ended', { reason: 'interrupted' }, ['PipelinePausing', 'StageCompleted']],
    ['now', { mode: 'now', reason: 'lunch' } as const, []],
  ])('is paused %s, and continues with another handle', async (_when, request, types) => {
    const execution = started(line, { script: sleeps('24h') });
    const events: RunEvent[] = [];
    for await (const event of execution.events()) {
      if (event.type === 'StageStarted' && event.node_id === 'a') execution.pause(request);
      events.push(event);
    }
    expect(await execution.result).toMatchObject({ status: 'paused' });
    const atWork = events.findIndex((event) => event.type === 'StageStarted' && event.node_id === 'a');
    const after = events.slice(atWork + 1).filter(({ type }) => type !== 'CheckpointSaved');
    expect(after.map(({ type }) => type)).toEqual([...types, 'PipelinePaused']);
    expect(after.at(-1)).toMatchObject({ reason: request.reason });

    const again = startResuming(execution.directory, { clock: virtualClock() });
    expect(again.runId).toBe(execution.runId);
    expect(again.directory).toBe(execution.directory);
    const [fresh, whole] = await Promise.all([all(again.events()), all(again.events({ from: 1 }))]);
    expect(await again.result).toMatchObject({ status: 'success' });
    expect(fresh[0]?.type).toBe('PipelineResumed');
    expect(whole).toEqual([...events, ...fresh]);
    expect(whole).toEqual(journalOf(execution.directory));
  });

  test('that is to pause later can be paused now', async () => {
    const execution = started(line, { script: sleeps('24h') });
    const types: string[] = [];
    for await (const event of execution.events()) {
      if (event.type === 'StageStarted' && event.node_id === 'a') execution.pause();
      if (event.type === 'PipelinePausing') execution.pause({ mode: 'now' });
      types.push(event.type);
    }
    expect(await execution.result).toMatchObject({ status: 'paused' });
    expect(types.slice(-2)).toEqual(['PipelinePausing', 'PipelinePaused']);
  });

  test('hears the signals of its options too', async () => {
    const signals = { cancelling: new AbortController(), pausing: new AbortController() };
    signals.pausing.abort({ mode: 'now', reason: 'before it began' });
    const paused = started(line, { pauseSignal: signals.pausing.signal });
    expect(await paused.result).toMatchObject({ status: 'paused', paused_reason: 'before it began' });
    signals.cancelling.abort();
    const cancelled = started(line, { signal: signals.cancelling.signal });
    expect(await cancelled.result).toMatchObject({ status: 'cancelled' });
  });

  test('that had ended has only the events of old', async () => {
    const execution = started(line);
    await execution.result;
    const again = startResuming(execution.directory);
    expect(await all(again.events())).toEqual([]);
    expect(await all(again.events({ from: 1 }))).toEqual(journalOf(execution.directory));
    expect(await again.result).toEqual(await execution.result);
  });

  test('that cannot begin has no events', async () => {
    const execution = started('digraph G { a }');
    expect(await all(execution.events({ from: 1 }))).toEqual([]);
    expect(await execution.result).toMatchObject({ status: 'invalid' });
  });

  test('of which there is none cannot be resumed', () => {
    expect(() => startResuming(temporaryDirectory())).toThrow(
      expect.objectContaining({ code: 'run_not_found' }),
    );
  });

  test('tells an error to whoever waits for it, and to whoever reads', async () => {
    const runDirectory = temporaryDirectory();
    await start(gate, { runDirectory, interviewer: absentInterviewer }).result;
    const execution = start(line, { runDirectory });
    await expect(all(execution.events())).rejects.toMatchObject({ code: 'run_exists' });
    await expect(execution.result).rejects.toMatchObject({ code: 'run_exists' });
  });

  test('that the disk breaks off gives its last event, then the error', async () => {
    const whole = faultyFileSystem({});
    await started(line, { fileSystem: whole }).result;
    const call = whole.calls.findLastIndex((name) => name.startsWith('write') && name.includes('events')) + 1;
    const fileSystem = faultyFileSystem({ fault: { call, code: 'ENOSPC', done: 'half', lasts: true } });
    const execution = started(line, { fileSystem });
    const seen: RunEvent[] = [];
    const reading = (async () => {
      for await (const event of execution.events()) seen.push(event);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'storage' });
    await expect(execution.result).rejects.toMatchObject({ code: 'storage' });
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index + 1));
    expect(seen.length).toBeGreaterThan(3);
  });
});
