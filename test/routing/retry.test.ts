import { describe, expect, test } from 'vitest';
import { eventsOf, jsonOf, pipeline, runPipeline, type Setup, testEach } from '../run/harness.js';
import { virtualClock } from '../support/virtual-clock.js';
import { expectPath, type PathCase } from './path-case.js';

const fail = { outcome: 'fail', failure_reason: 'red' };
const again = { outcome: 'retry', failure_reason: 'not yet' };

/** One stage between start and exit; then attributes of the graph. */
const one = (attributes: string, ...more: readonly string[]) =>
  pipeline(`a [${attributes}]`, 'start -> a -> exit', ...more);

interface AttemptsCase extends Setup {
  readonly name: string;
  readonly dot: string;
  readonly attempts: number;
  readonly reason?: string;
}

/** Every attempt of `a` does the same; this is how many there are. */
const attempts: readonly AttemptsCase[] = [
  { name: '24: RETRY is always retried', dot: one('max_retries=2'), script: { a: again }, attempts: 3 },
  {
    name: '24: FAIL is retried where the node has max_retries',
    dot: one('max_retries=2'),
    script: { a: fail },
    attempts: 3,
  },
  {
    name: '24: FAIL is retried where a node default has max_retries',
    dot: pipeline('node [max_retries=2]', 'a', 'start -> a -> exit'),
    script: { a: fail },
    attempts: 3,
  },
  {
    name: "24: FAIL is not retried by the graph's budget",
    dot: one('', 'default_max_retries=2'),
    script: { a: fail },
    attempts: 1,
    reason: 'red',
  },
  {
    name: '24: FAIL is not retried by retry_policy alone',
    dot: one('retry_policy=standard'),
    script: { a: fail },
    attempts: 1,
  },
  {
    name: "24: a retryable FAIL uses the graph's budget",
    dot: one('', 'default_max_retries=2'),
    script: { a: { ...fail, retryable: true } },
    attempts: 3,
  },
  {
    name: '24: a terminal FAIL is never retried',
    dot: one('max_retries=2'),
    script: { a: { ...fail, retryable: false } },
    attempts: 1,
    reason: 'red',
  },
  {
    name: '24: retry_on_fail=always retries FAIL by any budget',
    dot: one('', 'default_max_retries=2', 'retry_on_fail=always'),
    script: { a: fail },
    attempts: 3,
  },
  {
    name: '24: retry_on_fail=never does not retry FAIL',
    dot: one('max_retries=2', 'retry_on_fail=never'),
    script: { a: fail },
    attempts: 1,
  },
  {
    name: '24: retry_on_fail=never does not concern RETRY',
    dot: one('max_retries=2', 'retry_on_fail=never'),
    script: { a: again },
    attempts: 3,
  },
  { name: '25: by default there is one attempt', dot: one(''), script: { a: again }, attempts: 1 },
  {
    name: '25: default_max_retries of the graph',
    dot: one('', 'default_max_retries=1'),
    script: { a: again },
    attempts: 2,
  },
  {
    name: "25: and the specification's default_max_retry",
    dot: one('', 'default_max_retry=1'),
    script: { a: again },
    attempts: 2,
  },
  {
    name: '25: max_retries=0 of the node wins over the graph',
    dot: one('max_retries=0', 'default_max_retries=5'),
    script: { a: again },
    attempts: 1,
  },
  {
    name: '29: a preset has attempts of its own',
    dot: one('retry_policy=patient'),
    script: { a: again },
    attempts: 3,
  },
  {
    name: '29: max_retries overrides the attempts of the preset',
    dot: one('retry_policy=patient, max_retries=5'),
    script: { a: again },
    attempts: 6,
  },
  {
    name: '83: retryable=false is terminal for a thrown error too',
    dot: pipeline('a [type=spy, max_retries=2]', 'start -> a -> exit'),
    handlers: {
      spy: () => {
        throw Object.assign(new Error('no key'), { retryable: false });
      },
    },
    attempts: 1,
    reason: 'no key',
  },
  ...['start', 'exit'].map((id) => ({
    name: `24: ${id} is never retried for a FAIL`,
    dot: pipeline(`${id} [max_retries=3]`, 'a', 'start -> a -> exit'),
    script: { [id]: fail },
    attempts: 1,
    reason: 'red',
  })),
  {
    name: '24: a human gate is never retried for a FAIL',
    dot: pipeline('a [shape=hexagon, max_retries=3]', 'start -> a -> exit'),
    script: { a: fail },
    attempts: 1,
    reason: 'red',
  },
];

describe('Retries (§3.5)', () => {
  testEach(attempts, async ({ dot, attempts, reason, name: _name, ...setup }) => {
    const { result, events } = await runPipeline(dot, setup);
    const failedId = result.failed_node ?? 'a';
    const started = eventsOf(events, 'StageStarted').filter(({ node_id }) => node_id === failedId);
    expect(started.map(({ attempt, visit }) => [attempt, visit])).toEqual(
      Array.from({ length: attempts }, (_, index) => [index + 1, 1]),
    );
    expect(result).toMatchObject({ status: 'fail', failed_node: failedId, visits: { [failedId]: 1 } });
    const expected = attempts > 1 ? 'max retries exceeded: ' : '';
    expect(result.failure_reason).toContain(reason ?? expected);
  });

  testEach<PathCase>(
    [
      {
        name: '24: the first success ends the retries',
        dot: one('max_retries=5'),
        script: { a: [again, fail, {}, fail] },
        path: 'a',
      },
      {
        name: '27: used-up RETRYs are a partial success under allow_partial',
        dot: one('max_retries=1, allow_partial=true'),
        script: { a: again },
        path: 'a',
      },
      {
        name: '27: used-up FAILs too',
        dot: one('max_retries=1, allow_partial=true'),
        script: { a: fail },
        path: 'a',
      },
      {
        name: '27: never a first FAIL that was not retried',
        dot: one('allow_partial=true'),
        script: { a: fail },
        path: 'a',
        fails: 'red',
      },
      {
        name: '27: nor a retryable one for which there is no budget',
        dot: one('allow_partial=true'),
        script: { a: { ...fail, retryable: true } },
        path: 'a',
        fails: 'red',
      },
      {
        name: '28: used-up retries keep the last reason',
        dot: one('max_retries=1'),
        script: { a: [fail, { ...fail, failure_reason: 'still red' }] },
        path: 'a',
        fails: 'max retries exceeded: still red',
      },
      {
        name: '28, 11.5: and the last label and updates, which route',
        dot: pipeline(
          ...['a [max_retries=1]', 'b', 'c', 'start -> a -> b', 'b -> exit', 'c -> exit'],
          'a -> c [condition="outcome=fail && preferred_label=Fix && context.n=2"]',
        ),
        script: {
          a: [fail, { ...fail, preferred_label: 'Fix', context_updates: { n: 2 } }],
        },
        path: 'a c',
      },
      {
        name: '28: and the last suggestions',
        dot: pipeline(
          ...[
            'a [max_retries=1, on_failure=continue]',
            'b',
            'c',
            'start -> a',
            'a -> b [weight=9]',
            'a -> c',
          ],
          ...['b -> exit', 'c -> exit'],
        ),
        script: { a: [fail, { ...fail, suggested_next_ids: ['c'] }] },
        path: 'a c',
      },
      {
        name: '27: a timeout that was tried again too',
        dot: one('timeout=1s, max_retries=1, allow_partial=true'),
        script: { a: { delay: '1h' } },
        path: 'a',
      },
      {
        name: '27: but not a timeout that was not',
        dot: one('timeout=1s, allow_partial=true'),
        script: { a: { delay: '1h' } },
        path: 'a',
        fails: 'timeout after 1s',
      },
      {
        name: '31: a new visit has fresh retries',
        dot: pipeline('a [max_retries=1, retry_target=a, max_visits=3]', 'start -> a -> exit'),
        script: { a: [fail, fail, fail, fail, fail, {}] },
        path: 'a a a',
      },
    ],
    expectPath,
  );

  test('27: the partial success says so, and the run is degraded', async () => {
    const { result, events } = await runPipeline(one('max_retries=1, allow_partial=true'), {
      script: { a: again },
    });
    expect(result.quality).toBe('degraded');
    expect(eventsOf(events, 'StageCompleted').find(({ node_id }) => node_id === 'a')?.outcome).toMatchObject({
      status: 'partial_success',
      notes: 'retries exhausted, partial accepted',
    });
  });

  test('74: StageFailed says whether it is tried again, and StageRetrying how long that waits', async () => {
    const { events } = await runPipeline(one('max_retries=2'), {
      script: { a: [fail, fail, fail] },
      clock: virtualClock({ random: 0.5 }),
    });
    const ofA = events.filter((event) => 'node_id' in event && event.node_id === 'a');
    expect(ofA.filter(({ type }) => type.startsWith('Stage'))).toMatchObject([
      { type: 'StageStarted', attempt: 1 },
      { type: 'StageFailed', attempt: 1, error: 'red', will_retry: true },
      { type: 'StageRetrying', attempt: 2, delay: 200 },
      { type: 'StageStarted', attempt: 2 },
      { type: 'StageFailed', attempt: 2, will_retry: true },
      { type: 'StageRetrying', attempt: 3, delay: 400 },
      { type: 'StageStarted', attempt: 3 },
      { type: 'StageFailed', attempt: 3, error: 'max retries exceeded: red', will_retry: false },
    ]);
  });
});

describe('31: the retry counter', () => {
  const counter = 'internal.retry_count.a';

  test('is in the context of each attempt, from 0', async () => {
    const seen: unknown[] = [];
    const { result, directory } = await runPipeline(one('type=spy, max_retries=2'), {
      handlers: {
        spy: ({ context }) => {
          seen.push(context.get(counter));
          return seen.length < 3 ? { status: 'retry' } : { status: 'success' };
        },
      },
    });
    expect(seen).toEqual([0, 1, 2]);
    expect(result.context[counter]).toBe(0);
    expect(jsonOf(directory, 'checkpoint.json').node_retries).toMatchObject({ a: 0 });
  });

  test('begins at 0 again with each visit', async () => {
    const seen: unknown[] = [];
    await runPipeline(one('type=spy, max_retries=1, retry_target=a'), {
      handlers: {
        spy: ({ context, visit }) => {
          seen.push([visit, context.get(counter)]);
          return visit === 1 ? { status: 'retry' } : { status: 'success' };
        },
      },
    });
    expect(seen).toEqual([
      [1, 0],
      [1, 1],
      [2, 0],
    ]);
  });

  test('keeps its last value when the retries are used up', async () => {
    const { result, directory } = await runPipeline(one('max_retries=2'), { script: { a: fail } });
    expect(result.context[counter]).toBe(2);
    expect(jsonOf(directory, 'checkpoint.json').node_retries).toMatchObject({ a: 2 });
  });
});

describe('29, 3.6: the back-off', () => {
  test.each([
    ['standard', 0.5, [200, 400, 800, 1600]],
    ['aggressive', 0.5, [500, 1000, 2000, 4000]],
    ['linear', 0.5, [500, 500]],
    ['patient', 0.5, [2000, 6000]],
    ['standard', 0, [100, 200, 400, 800]],
    ['standard', 0.999, [300, 600, 1199, 2398]],
  ])('%s with chance %f pauses %j', async (policy, random, pauses) => {
    const clock = virtualClock({ random });
    const { result } = await runPipeline(one(`retry_policy=${policy}`), { script: { a: again }, clock });
    expect(clock.slept).toEqual(pauses);
    expect(result.duration_ms).toBe(pauses.reduce((sum, pause) => sum + pause, 0));
  });

  test('no pause is longer than a minute', async () => {
    const clock = virtualClock({ random: 0.5 });
    await runPipeline(one('max_retries=12'), { script: { a: again }, clock });
    expect(clock.slept.slice(-3)).toEqual([60_000, 60_000, 60_000]);
  });
});

describe('30: the timeout', () => {
  test.each([
    ['900s', 900_000],
    ['15m', 900_000],
    ['250ms', 250],
    ['900', 900_000],
  ])('%s ends an attempt that takes longer', async (timeout, milliseconds) => {
    const { result } = await runPipeline(one(`timeout="${timeout}"`), { script: { a: { delay: '2h' } } });
    expect(result).toMatchObject({
      status: 'fail',
      failure_reason: expect.stringMatching(/^timeout after /),
      duration_ms: milliseconds,
    });
  });

  test('leaves an attempt alone that is faster', async () => {
    const { result } = await runPipeline(one('timeout=60s'), { script: { a: { delay: '59s' } } });
    expect(result).toMatchObject({ status: 'success', duration_ms: 59_000 });
  });

  test('is for one attempt; the next one has the whole time again, and pauses do not count', async () => {
    const { result, events } = await runPipeline(one('timeout=100ms, max_retries=2, retry_policy=patient'), {
      script: { a: [{ delay: '1h' }, { delay: '1h' }, { delay: '99ms' }] },
    });
    expect(result.status).toBe('success');
    expect(eventsOf(events, 'StageFailed').map(({ error, duration }) => [error, duration])).toEqual([
      ['timeout after 100ms', 100],
      ['timeout after 100ms', 100],
    ]);
  });

  test('is not retried where the node has no budget', async () => {
    const { events } = await runPipeline(one('timeout=1s'), { script: { a: { delay: '1h' } } });
    expect(eventsOf(events, 'StageRetrying')).toEqual([]);
  });

  test('leaves a handler after that does not stop', async () => {
    let aborted: unknown;
    const { result } = await runPipeline(one('type=deaf, timeout=1s'), {
      handlers: {
        deaf: ({ signal }) => {
          signal.addEventListener('abort', () => {
            aborted = signal.reason;
          });
          return new Promise(() => undefined);
        },
      },
    });
    expect(result.failure_reason).toBe('timeout after 1s');
    expect(aborted).toEqual(new Error('timeout after 1s'));
  });
});
