import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Handler } from '../../src/handlers/handler.js';
import type { RunEvent } from '../../src/machine/event.js';
import { runProject, subPipeline } from './children/children.js';
import { eventsOf, fileOf, jsonOf, pipeline, resumePipeline, runOnDisk, type Setup } from './harness.js';

const longestEvent = 256 * 1024;
const megabyte = 'x'.repeat(1_000_000);
const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key${index}`, 'y'.repeat(600)]));

const two = pipeline('a [type=one]', 'b [type=two]', 'start -> a -> b -> exit');
const handlers = (one: Handler['execute'], other: Handler['execute']): Setup => ({
  handlers: { one, two: other },
});
const sets = (updates: Readonly<Record<string, string>>): Handler['execute'] => {
  return () => ({ status: 'success', context_updates: updates });
};
const success: Handler['execute'] = () => ({ status: 'success' });

const journalOf = (directory: string): readonly string[] =>
  fileOf(directory, 'events.jsonl').trimEnd().split('\n');

describe('DESIGN 2: events stay small', () => {
  test.each([
    ['1 MB in one value', { report: megabyte }],
    ['500 small values that exceed 256 KB together', many],
  ])('%s', async (_name, updates) => {
    let seen: object = {};
    const { result, directory, events } = await runOnDisk(
      two,
      handlers(sets(updates), ({ context }) => {
        seen = Object.fromEntries(Object.keys(updates).map((key) => [key, context.get(key)]));
        return { status: 'success' };
      }),
    );
    expect(result.status).toBe('success');
    expect(seen).toEqual(updates);
    for (const line of journalOf(directory)) expect(Buffer.byteLength(line)).toBeLessThan(longestEvent);
    const count = eventsOf(events, 'StageCompleted').flatMap(({ outcome }) => outcome.artifacts ?? []).length;
    expect(eventsOf(events, 'PipelineCompleted')[0]?.artifact_count).toBe(count);
    expect(count).toBeGreaterThan(0);
  });

  test('what a stage set itself is made small too, and a failure of 1 MB', async () => {
    const { result, directory } = await runOnDisk(
      two,
      handlers(({ context }) => {
        context.set('report', megabyte);
        throw new Error(megabyte);
      }, success),
    );
    expect(result.status).toBe('fail');
    expect(result.failure_reason).toMatch(
      /^x+ … \(the beginning of 1000000 bytes; artifact "a\.1\.1\.failure_reason"/,
    );
    for (const line of journalOf(directory)) expect(Buffer.byteLength(line)).toBeLessThan(longestEvent);
  });

  test('5.3: a run that is resumed in another process has the values', async () => {
    const { directory } = await runOnDisk(
      two,
      handlers(sets({ report: megabyte, ...many }), () => {
        throw new Error('stop here');
      }),
    );
    const seen: unknown[] = [];
    const { result } = await resumePipeline(
      directory,
      handlers(
        () => {
          throw new Error('a finished stage does not run again');
        },
        ({ context }) => {
          seen.push(context.get('report'), context.get('key7'));
          return { status: 'success' };
        },
      ),
    );
    expect(result.status).toBe('success');
    expect(seen).toEqual([megabyte, many.key7]);
  });

  test('an attempt that runs again after a crash writes over what it had stored', async () => {
    const cut = new AbortController();
    const names = (directory: string) => readdirSync(path.join(directory, 'artifacts')).toSorted();
    const stores: Handler['execute'] = ({ artifacts }) => {
      artifacts.store('plan', 'The plan', megabyte);
      return { status: 'success', context_updates: { report: megabyte } };
    };
    const whole = await runOnDisk(two, handlers(stores, success));
    const { directory } = await runOnDisk(two, {
      pauseSignal: cut.signal,
      ...handlers((stage) => {
        stores(stage);
        cut.abort({ reason: 'cut off', mode: 'now' });
        return new Promise((_resolve, reject) =>
          stage.signal.addEventListener('abort', () => reject(stage.signal.reason)),
        );
      }, success),
    });
    const { result } = await resumePipeline(directory, handlers(stores, success));
    expect(result.status).toBe('success');
    expect(names(directory)).toEqual(names(whole.directory));
  });
});

describe('5.5: stage.artifacts', () => {
  test('is one store for the whole run, and counted', async () => {
    let plan: unknown;
    const { events, directory } = await runOnDisk(
      two,
      handlers(
        ({ artifacts }) => {
          artifacts.store('plan', 'The plan', { steps: 3 });
          artifacts.store('log', 'The log', megabyte);
          return { status: 'success' };
        },
        ({ artifacts }) => {
          plan = artifacts.retrieve('plan');
          artifacts.store('plan', 'The plan', { steps: 4 });
          return { status: 'success' };
        },
      ),
    );
    expect(plan).toEqual({ steps: 3 });
    expect(readdirSync(path.join(directory, 'artifacts')).toSorted()).toEqual(['index.jsonl', 'log.json']);
    expect(eventsOf(events, 'PipelineCompleted')[0]?.artifact_count).toBe(2);
  });

  test('70: an id that cannot be used is a failure of the stage that no retry helps', async () => {
    const { result, events } = await runOnDisk(
      pipeline('default_max_retries=3', 'a [type=one, max_retries=3]', 'start -> a -> exit'),
      handlers(({ artifacts }) => {
        artifacts.store('../x', 'n', 1);
        return { status: 'success' };
      }, success),
    );
    expect(result.failure_reason).toContain('the artifact id "../x" cannot be used');
    expect(eventsOf(events, 'StageRetrying')).toEqual([]);
  });

  test('a run that stores nothing has no folder for it', async () => {
    const { directory } = await runOnDisk(two, handlers(success, success));
    expect(readdirSync(directory)).not.toContain('artifacts');
  });
});

describe('44g: customOutcomes', () => {
  const words = pipeline(
    'a [type=one]',
    'b',
    'start -> a',
    'a -> b [condition="outcome=converged"]',
    'a -> exit',
    'b -> exit',
  );
  const writes = handlers((stage) => {
    stage.writeFile('status.json', '{"outcome":"converged"}');
    return { status: 'success' };
  }, success);

  test('routes the word and counts it as a success', async () => {
    const { result, events } = await runOnDisk(words, { customOutcomes: true, ...writes });
    expect(result).toMatchObject({ status: 'success', path: ['start', 'a', 'b', 'exit'] });
    expect(eventsOf(events, 'StageCompleted').find(({ node_id }) => node_id === 'a')?.outcome).toMatchObject({
      status: 'success',
      custom_outcome: 'converged',
    });
  });

  test('holds for the whole run, also when that continues without being told again', async () => {
    const twice = pipeline(
      ...['g [shape=hexagon]', 'a [type=one]', 'b', 'start -> g -> a', 'b -> exit'],
      ...['a -> b [condition="outcome=converged"]', 'a -> exit'],
    );
    const { directory } = await runOnDisk(twice, { customOutcomes: true, ...writes });
    expect(jsonOf(directory, 'manifest.json').options.custom_outcomes).toBe(true);
    const resumed = await resumePipeline(directory, { autoApprove: true, ...writes });
    expect(resumed.result).toMatchObject({ status: 'success', path: ['start', 'g', 'a', 'b', 'exit'] });
  });

  test('9.4: holds for the pipelines inside too, and is in their manifests', async () => {
    const files = { 'main.dot': subPipeline(), 'child.dot': words };
    const { directory, result } = await runProject(files, { customOutcomes: true, ...writes });
    expect(result.status).toBe('success');
    const child = path.join(directory, 'sub/child');
    expect(jsonOf(child, 'manifest.json').options.custom_outcomes).toBe(true);
    expect(jsonOf(child, 'result.json').path).toEqual(['start', 'a', 'b', 'exit']);
  });

  test('without it the word is a failure', async () => {
    const { result } = await runOnDisk(words, writes);
    expect(result).toMatchObject({
      status: 'fail',
      failure_reason: expect.stringContaining('invalid outcome "converged"'),
    });
  });
});

describe('3.6: shouldRetry', () => {
  const failing = (asked: RunEvent[] = []): Setup => ({
    onEvent: (event) => asked.push(event),
    backend: { run: () => Promise.reject(Object.assign(new Error('no key'), { status: 401 })) },
  });
  const dot = pipeline('default_max_retries=2', 'a', 'start -> a -> exit');

  test('is asked about the errors of backends too', async () => {
    const asked: unknown[] = [];
    const { events } = await runOnDisk(dot, {
      ...failing(),
      shouldRetry: (error) => {
        asked.push((error as Error).message);
        return true;
      },
    });
    expect(asked).toEqual(['no key', 'no key', 'no key']);
    expect(eventsOf(events, 'StageRetrying')).toHaveLength(2);
  });

  test('D: without it an authentication failure is not tried again, and says so', async () => {
    const { events } = await runOnDisk(dot, failing());
    expect(eventsOf(events, 'StageRetrying')).toEqual([]);
    expect(eventsOf(events, 'StageFailed')[0]?.outcome).toMatchObject({ failure_category: 'terminal' });
  });
});
