import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { run } from '../../src/run/run.js';
import { eventsOf, jsonOf, pipeline, resumePipeline, runPipeline, testEach } from '../run/harness.js';
import { expectPath, type PathCase } from './path-case.js';

const fail = { outcome: 'fail', failure_reason: 'red' };

/** `g` is a gate whose failure continues to `b`. */
const gated = (attributes: string, ...more: readonly string[]) =>
  pipeline(
    `g [goal_gate=true, on_failure=continue${attributes}]`,
    ...['a', 'b', 'start -> a -> g -> b -> exit'],
    ...more,
  );

const gates: readonly PathCase[] = [
  { name: '32: a gate that succeeded lets the run end', dot: gated(''), path: 'a g b' },
  {
    name: '32: a partial success will do',
    dot: gated(''),
    script: { g: { outcome: 'partial_success' } },
    path: 'a g b',
  },
  {
    name: '32: the latest outcome counts',
    dot: gated(', retry_target=nobody', 'b -> g [condition="context.round=1"]'),
    script: { g: [fail, {}], b: [{ context_updates: { round: 1 } }, { context_updates: { round: 2 } }] },
    path: 'a g b g b',
  },
  {
    name: '32: a later failure of a gate that had succeeded blocks',
    dot: gated('', 'b -> g [condition="context.round=1"]'),
    script: { g: [{}, fail], b: [{ context_updates: { round: 1 } }, { context_updates: { round: 2 } }] },
    path: 'a g b g b',
    fails: 'goal gate "g" is not satisfied',
    failedNode: 'g',
  },
  {
    name: '32: a gate that was never visited does not block',
    dot: gated('', 'a -> b [weight=1]'),
    path: 'a b',
  },
  {
    name: '32: under require_goal_gates it does',
    dot: gated('', 'a -> b [weight=1]', 'require_goal_gates=true'),
    path: 'a b',
    fails: 'goal gate "g" was never visited',
    failedNode: 'g',
  },
  {
    name: '33: an unsatisfied gate without a target fails the run, naming the gate',
    dot: gated(''),
    script: { g: fail },
    path: 'a g b',
    fails: 'goal gate "g" is not satisfied (its latest outcome is fail: red)',
    failedNode: 'g',
  },
  {
    name: "33: then the graph's retry_target",
    dot: gated('', 'retry_target=a'),
    script: { g: [fail, {}] },
    path: 'a g b a g b',
  },
  {
    name: "33: then the graph's fallback_retry_target",
    dot: gated('', 'retry_target=nobody', 'fallback_retry_target=g'),
    script: { g: [fail, {}] },
    path: 'a g b g b',
  },
  {
    name: '33: of several unsatisfied gates the one that was visited first',
    dot: pipeline(
      ...['z [goal_gate=true, on_failure=continue]', 'y [goal_gate=true, on_failure=continue]'],
      'start -> z -> y -> exit',
    ),
    script: { z: fail, y: fail },
    path: 'z y',
    fails: 'goal gate "z"',
  },
  {
    name: '35: after a jump everything else is kept, and the rerun overwrites',
    dot: gated('', 'retry_target=g', 'b -> exit [condition="context.n=2"]'),
    script: {
      g: [fail, { context_updates: { n: 2 } }],
      b: [{ context_updates: { m: 1 } }, {}],
    },
    path: 'a g b g b',
  },
  {
    name: '37: a skipped gate is neither satisfied nor failed by it',
    dot: gated(''),
    script: { g: { outcome: 'skipped' } },
    path: 'a g b',
  },
  {
    name: '37: under require_goal_gates a skipped gate blocks, and is not said to be unvisited',
    dot: gated('', 'require_goal_gates=true'),
    script: { g: { outcome: 'skipped' } },
    path: 'a g b',
    fails: 'goal gate "g" has no outcome: its stage was skipped, or stopped with its branch',
    failedNode: 'g',
  },
  {
    name: '37: skipped continues as a success does, and can be tested',
    dot: pipeline('a', 'b', 'start -> a', 'a -> exit', 'a -> b [condition="outcome=skipped"]', 'b -> exit'),
    script: { a: { outcome: 'skipped' } },
    path: 'a b',
  },
  {
    name: '37: a skip does not make good an earlier failure of a gate',
    dot: gated('', 'b -> g [condition="context.round=1"]'),
    script: {
      g: [fail, { outcome: 'skipped' }],
      b: [{ context_updates: { round: 1 } }, { context_updates: { round: 2 } }],
    },
    path: 'a g b g b',
    fails: 'goal gate "g" is not satisfied',
  },
  {
    name: '22, 3.4: a dead end checks the gates too',
    dot: pipeline(
      ...['g [goal_gate=true, on_failure=continue]', 'b', 'start -> g', 'g -> b [weight=1]', 'g -> exit'],
    ),
    script: { g: fail },
    path: 'g b',
    fails: 'goal gate "g"',
  },
];

/** `d` is a diamond and a gate, which both outcomes of `a` leave for `b`. */
const gatedDiamond = (...more: readonly string[]) =>
  pipeline(
    'd [shape=diamond, goal_gate=true]',
    ...['a', 'b', 'start -> a -> d -> b -> exit', 'd -> b [condition="outcome=fail"]'],
    ...more,
  );

const diamonds: readonly PathCase[] = [
  { name: 'a success satisfies it', dot: gatedDiamond(), path: 'a d b' },
  {
    name: 'a failure does not',
    dot: gatedDiamond(),
    script: { a: fail },
    path: 'a d b',
    fails: 'goal gate "d" is not satisfied (the latest outcome that it passed on is fail: red)',
    failedNode: 'd',
  },
  {
    name: 'the latest one counts',
    dot: gatedDiamond('retry_target=a'),
    script: { a: [fail, {}] },
    path: 'a d b a d b',
  },
  {
    name: 'through another diamond too',
    dot: gatedDiamond('c [shape=diamond]', 'a -> c [weight=1]', 'c -> d'),
    script: { a: fail },
    path: 'a c d b',
    fails: 'goal gate "d" is not satisfied',
  },
  {
    name: 'a skipped stage leaves none',
    dot: gatedDiamond('require_goal_gates=true'),
    script: { a: { outcome: 'skipped' } },
    path: 'a d b',
    fails: 'goal gate "d" has no outcome',
  },
  {
    name: 'what fails for good twice is not gone back to',
    dot: gatedDiamond('retry_target=a'),
    script: { a: { ...fail, failure_category: 'terminal' } },
    path: 'a d b a d b',
    fails: '"a" has failed 2 times for the same reason',
  },
];

describe('Goal gates (§3.4)', () => {
  testEach(gates, expectPath);

  describe('32: of a diamond, the outcome counts that it passes on', () => {
    testEach(diamonds, expectPath);

    test('85: resuming runs the stage again whose outcome that was', async () => {
      const { directory, result } = await runPipeline(gatedDiamond(), { script: { a: [fail, {}] } });
      expect(result).toMatchObject({ status: 'fail', failed_node: 'd' });
      const resumed = await resumePipeline(directory);
      expect(resumed.result).toMatchObject({
        status: 'success',
        path: ['start', 'a', 'd', 'b', 'a', 'd', 'b', 'exit'],
      });
    });
  });

  test("33: first the gate's retry_target, then its fallback, before those of the graph", async () => {
    const targets = async (...attributes: readonly string[]) => {
      const { events } = await runPipeline(
        pipeline(
          ...['retry_target=c', 'g [goal_gate=true]', 'b', 'c', 'start -> g -> exit'],
          ...[
            'g -> b [condition="outcome=fail && context.n=1"]',
            'b -> exit',
            'b -> c [condition="outcome=retry"]',
          ],
          ...['c -> g', `g [${attributes.join(', ')}]`],
        ),
        { script: { g: [{ ...fail, context_updates: { n: 1 } }, {}], b: {} } },
      );
      return eventsOf(events, 'EdgeSelected').find(({ reason }) => reason === 'goal_gate');
    };
    expect(await targets('retry_target=g', 'fallback_retry_target=b')).toMatchObject({ to: 'g', gate: 'g' });
    expect(await targets('retry_target=nobody', 'fallback_retry_target=g')).toMatchObject({ to: 'g' });
    expect(await targets('label=x')).toMatchObject({ from: 'exit', to: 'c', gate: 'g' });
  });

  test('35: nothing of what was is cleared by a jump', async () => {
    const seen: unknown[] = [];
    const dot = pipeline(
      ...['retry_target=b', 'a [max_retries=2]', 'g [goal_gate=true, on_failure=continue]', 'b [type=spy]'],
      'start -> a -> g -> b -> exit',
      'b -> g [condition="context.internal.retry_count.a=0 && context.round=2"]',
    );
    const { result, directory } = await runPipeline(dot, {
      script: { a: [{ ...fail, context_updates: { x: 1 } }, { context_updates: { y: 1 } }], g: [fail, {}] },
      handlers: {
        spy: ({ context, visit }) => {
          const keys = ['y', 'internal.retry_count.a', 'internal.retry_count.g'];
          seen.push([visit, ...keys.map((key) => context.get(key))]);
          return { status: 'success', context_updates: { round: visit } };
        },
      },
    });
    expect(seen).toEqual([
      [1, 1, 0, 0],
      [2, 1, 0, 0],
      [3, 1, 0, 0],
    ]);
    expect(result).toMatchObject({
      status: 'success',
      completed_nodes: ['start', 'a', 'g', 'b', 'b', 'g', 'b'],
    });
    expect(jsonOf(directory, 'checkpoint.json')).toMatchObject({
      node_retries: { a: 0, g: 0 },
      node_outcomes: { a: { status: 'success' }, g: { status: 'success' } },
    });
  });

  test('85: resuming after an unsatisfied gate runs the gate again', async () => {
    const { directory, result } = await runPipeline(gated(''), { script: { g: [fail, {}] } });
    expect(result).toMatchObject({ status: 'fail', failed_node: 'g' });
    const resumed = await resumePipeline(directory);
    expect(resumed.result).toMatchObject({
      status: 'success',
      path: ['start', 'a', 'g', 'b', 'g', 'b', 'exit'],
    });
  });
});

describe('34, 82: limits', () => {
  const loop = (attributes: string, ...more: readonly string[]) =>
    pipeline(
      `a [${attributes}]`,
      ...['b', 'start -> a -> b', 'b -> a [weight=1]', 'b -> exit [condition="context.done=true"]'],
      ...more,
    );
  const limits: readonly PathCase[] = [
    {
      name: 'max_steps=5 allows 5 stages',
      dot: loop('', 'max_steps=5'),
      path: 'a b a b a',
      fails: 'the run has executed 5 stages, the limit set by `max_steps`, and would continue with "b"',
      failedNode: 'b',
    },
    {
      name: 'the loop is named',
      dot: loop('', 'max_steps=5'),
      path: 'a b a b a',
      fails: '(loop: b -> a -> b)',
    },
    {
      name: 'start, exit and retries do not count',
      dot: pipeline('max_steps=2', 'a [max_retries=5]', 'b', 'start -> a -> b -> exit'),
      script: { a: [fail, fail, fail, {}] },
      path: 'a b',
    },
    {
      name: 'max_visits=3 allows 3 visits',
      dot: loop('max_visits=3'),
      path: 'a b a b a b',
      fails: '"a" was visited 3 times, the limit set by its `max_visits` (loop: a -> b -> a)',
      failedNode: 'a',
    },
    {
      name: '82: a limit is not routable',
      dot: loop(
        'max_visits=1, retry_target=b',
        'b -> exit [condition="outcome=fail"]',
        'on_failure=continue',
      ),
      path: 'a b',
      fails: 'max_visits',
    },
    {
      name: 'max_goal_gate_redirects=2 allows 2',
      dot: gated('', 'retry_target=a', 'max_goal_gate_redirects=2'),
      script: { g: fail },
      path: 'a g b a g b a g b',
      fails: 'the run was already sent back 2 times, the limit set by `max_goal_gate_redirects`',
      failedNode: 'g',
    },
  ];
  testEach(limits, expectPath);

  test('34: the default is 1000 stages', async () => {
    const { result } = await runPipeline(loop(''));
    expect(result).toMatchObject({ status: 'fail', steps: 1000 });
    expect(result.failure_reason).toContain('1000');
  });

  test('34: the default is 50 redirects', async () => {
    const { result, events } = await runPipeline(gated('', 'retry_target=g'), { script: { g: fail } });
    expect(result).toMatchObject({ status: 'fail', visits: { g: 51 } });
    expect(result.failure_reason).toMatch(/sent back 50 times.*`max_goal_gate_redirects`/);
    expect(eventsOf(events, 'EdgeSelected').filter(({ reason }) => reason === 'goal_gate')).toHaveLength(50);
  });

  test('34: the caller can raise max_steps, for a resumed run too', async () => {
    const dot = loop('', 'max_steps=4');
    const { result, directory } = await runPipeline(dot, { maxSteps: 6 });
    expect(result.steps).toBe(6);
    expect((await resumePipeline(directory)).result).toMatchObject({ status: 'fail', steps: 6 });
    const done = { b: [{}, {}, {}, {}, { context_updates: { done: true } }] };
    const scripted = await runPipeline(dot, { script: done });
    expect(scripted.result.status).toBe('fail');
    expect((await resumePipeline(scripted.directory, { maxSteps: 20 })).result).toMatchObject({
      status: 'success',
      steps: 10,
    });
  });
});

test('a pipeline with a type for which nothing is registered is refused', async () => {
  const dot = pipeline('a [type=mystery]', 'start -> a -> exit');
  const compilation = compile(dot, { handlerTypes: ['mystery'] });
  const result = await run(compilation, { runDirectory: '/nonexistent/never-created' });
  expect(result).toMatchObject({
    status: 'invalid',
    diagnostics: [{ rule: 'unsupported_feature', nodeId: 'a' }],
  });
});
