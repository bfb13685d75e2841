import { describe, expect, test } from 'vitest';
import { eventsOf, fork, jsonOf, pipeline, runPipeline, type Setup, testEach } from '../run/harness.js';
import { expectPath, type PathCase } from './path-case.js';

const failed = { outcome: 'fail', failure_reason: 'broken' };

const line = (attributes: string, ...more: readonly string[]) =>
  pipeline(`a [${attributes}]`, 'b', 'start -> a -> b -> exit', ...more);

/** A stage, a diamond after it, and the edges of the diamond. */
const diamond = (...edges: readonly string[]) =>
  pipeline('a', 'ok', 'bad', 'd [shape=diamond]', 'start -> a -> d', 'ok -> exit', 'bad -> exit', ...edges);

const failure: readonly PathCase[] = [
  {
    name: '20: a failure with only a plain edge ends the run with the reason of the stage',
    dot: line(''),
    script: { a: failed },
    path: 'a',
    fails: 'broken',
    failedNode: 'a',
  },
  {
    name: '20: a matching condition goes first',
    dot: line('retry_target=b', 'c', 'a -> c [condition="outcome=fail"]', 'c -> exit'),
    script: { a: failed },
    path: 'a c',
  },
  {
    name: '20b: any matching condition will do',
    dot: line('', 'c', 'a -> c [condition="outcome!=success"]', 'c -> exit'),
    script: { a: failed },
    path: 'a c',
  },
  {
    name: '114: a condition sees the category of the failure, and that there is one',
    dot: diamond(
      'd -> ok [condition="result.failure_category=terminal && !result.success"]',
      'd -> bad [condition="result.failure_category!=terminal"]',
    ),
    script: { a: { ...failed, failure_category: 'terminal' } },
    path: 'a d ok',
  },
  {
    name: '114: a condition sees whose failure it is, behind a diamond too',
    dot: diamond('d -> ok [condition="result.node=a"]', 'd -> bad [condition="result.node!=a"]'),
    script: { a: failed },
    path: 'a d ok',
  },
  {
    name: '114: what a stage sets under that name is not the outcome',
    dot: diamond('d -> ok [condition="!result.success"]', 'd -> bad [condition="result.success"]'),
    script: { a: { ...failed, context_updates: { success: true, 'result.success': true } } },
    path: 'a d ok',
  },
  {
    name: '20: then the retry target of the node',
    dot: line('retry_target=c, fallback_retry_target=b', 'c', 'b -> c', 'c -> exit'),
    script: { a: failed, c: {} },
    path: 'a c',
  },
  {
    name: '20: then its fallback',
    dot: line('fallback_retry_target=c', 'c', 'b -> c', 'c -> exit'),
    script: { a: failed },
    path: 'a c',
  },
  {
    name: '20: a retry target goes before a plain edge into a diamond',
    dot: pipeline(
      ...['a [retry_target=fix]', 'fix', 'd [shape=diamond]', 'start -> a -> d', 'fix -> exit'],
      ...['d -> exit [condition="outcome=success"]', 'd -> fix [condition="outcome=fail"]'],
    ),
    script: { a: failed },
    path: 'a fix',
  },
  {
    name: "20: the graph's retry target is not for failed stages",
    dot: line('', 'retry_target=b'),
    script: { a: failed },
    path: 'a',
    fails: 'broken',
  },
  {
    name: '20: on_failure=continue of the node lets ordinary selection continue',
    dot: line('on_failure=continue'),
    script: { a: failed },
    path: 'a b',
  },
  {
    name: '20: on_failure=continue of the graph too',
    dot: line('', 'on_failure=continue'),
    script: { a: failed },
    path: 'a b',
  },
  {
    name: "20: the node's on_failure=stop overrides the graph's",
    dot: line('on_failure=stop', 'on_failure=continue'),
    script: { a: failed },
    path: 'a',
    fails: 'broken',
  },
  {
    name: '20c: a retry target that is the node itself is allowed',
    dot: line('retry_target=a'),
    script: { a: [failed, failed, {}] },
    path: 'a a a b',
  },
  {
    name: '20c: one that is the exit is passed over',
    dot: line('retry_target=exit, fallback_retry_target=b'),
    script: { a: failed },
    path: 'a b',
  },
  {
    name: '20c: one that is not a node is passed over',
    dot: line('retry_target=nobody, fallback_retry_target=b'),
    script: { a: failed },
    path: 'a b',
  },
  {
    name: '21: a diamond routes on the failure that came in',
    dot: diamond('d -> ok [condition="outcome=success"]', 'd -> bad [condition="outcome=fail"]'),
    script: { a: failed },
    path: 'a d bad',
  },
  {
    name: '21: and on the preferred label that came in',
    dot: diamond('d -> ok', 'd -> bad [condition="preferred_label=Fix"]'),
    script: { a: { preferred_label: 'Fix' } },
    path: 'a d bad',
  },
  {
    name: '21: through several diamonds in a row',
    dot: diamond(
      ...['e [shape=diamond]', 'd -> e', 'e -> ok [condition="outcome=success"]'],
      'e -> bad [condition="outcome=fail"]',
    ),
    script: { a: failed },
    path: 'a d e bad',
  },
  {
    name: '21: a failure that no condition of the diamond takes up ends the run with its reason',
    dot: diamond('d -> ok [condition="outcome=success"]', 'd -> bad [condition="outcome=retry"]'),
    script: { a: failed },
    path: 'a d',
    fails: 'broken',
    failedNode: 'a',
  },
  {
    name: '80: a plain edge besides conditions is an explicit "else", for a failure too',
    dot: diamond('d -> ok [condition="outcome=success"]', 'd -> bad'),
    script: { a: failed },
    path: 'a d bad',
  },
  {
    name: '80: without conditions the failure does not pass the diamond',
    dot: diamond('d -> ok', 'd -> bad'),
    script: { a: failed },
    path: 'a d',
    fails: 'broken',
    failedNode: 'a',
  },
  {
    name: "80: but takes the diamond's own retry target",
    dot: diamond('d [retry_target=bad]', 'd -> ok', 'd -> bad'),
    script: { a: failed },
    path: 'a d bad',
  },
  {
    name: "3.7, 80: the diamond's retry target is taken too where none of its conditions holds",
    dot: diamond(
      'd [retry_target=bad]',
      'd -> ok [condition="outcome=success"]',
      'd -> bad [condition="outcome=retry"]',
    ),
    script: { a: failed },
    path: 'a d bad',
  },
  {
    name: '20: a fallback too goes before a plain edge into a diamond',
    dot: diamond('a [fallback_retry_target=bad]', 'd -> ok [condition="outcome=fail"]', 'd -> bad'),
    script: { a: failed },
    path: 'a bad',
  },
  {
    name: '21, 22: a success that no condition of the diamond takes up is a hole in the routing',
    dot: diamond('d -> ok [condition="context.x=1"]', 'd -> bad [condition="outcome=fail"]'),
    path: 'a d',
    fails: 'no eligible edge leaves "d"',
  },
  {
    name: '22: a node without edges ends the run successfully',
    dot: pipeline('a', 'b', 'start -> a', 'a -> b [weight=1]', 'a -> exit'),
    path: 'a b',
    exits: false,
  },
];

describe('Failure routing (§3.7) and diamonds (§4.7)', () => {
  testEach(failure, expectPath);

  test('20c: the run log says which target was passed over, and why', async () => {
    const dot = line('retry_target=nobody, fallback_retry_target=exit');
    const { events } = await runPipeline(dot, { script: { a: failed } });
    expect(eventsOf(events, 'LogAppended').map(({ message }) => message)).toEqual([
      expect.stringMatching(/retry_target of "a" names "nobody", which is not a node/),
      expect.stringMatching(/fallback_retry_target of "a" names the exit "exit"/),
    ]);
  });

  test('21: a diamond leaves outcome and preferred_label in the context as they were', async () => {
    const dot = diamond('d -> ok [condition="outcome=success"]', 'd -> bad [condition="outcome=fail"]');
    const seen: unknown[] = [];
    await runPipeline(dot.replace('bad\n', 'bad [type=spy]\n'), {
      script: { a: { ...failed, preferred_label: 'Fix' } },
      handlers: {
        spy: ({ context }) => {
          seen.push(context.get('outcome'), context.get('preferred_label'));
          return { status: 'success' };
        },
      },
    });
    expect(seen).toEqual(['fail', 'Fix']);
  });

  test('21: a diamond itself succeeds, whatever came in', async () => {
    const dot = diamond('d -> ok [condition="outcome=success"]', 'd -> bad [condition="outcome=fail"]');
    const { directory, events } = await runPipeline(dot, { script: { a: failed } });
    expect(jsonOf(directory, 'd', 'status.json')).toMatchObject({ outcome: 'success' });
    expect(eventsOf(events, 'StageCompleted').find(({ node_id }) => node_id === 'd')).toMatchObject({
      outcome: { status: 'success' },
    });
  });

  test('21: a diamond is never retried', async () => {
    const dot = diamond('d [max_retries=3]', 'd -> ok', 'd -> bad');
    const { events } = await runPipeline(dot, { script: { d: failed } });
    expect(eventsOf(events, 'StageRetrying')).toEqual([]);
  });

  test('22: a routing hole fails and lists each condition with the values that it saw', async () => {
    const dot = fork('condition="context.x=1"', 'condition="context.y > 2"');
    const { result } = await runPipeline(dot, { script: { a: { context_updates: { x: 7 } } } });
    expect(result).toMatchObject({ status: 'fail', failed_node: 'a', path: ['start', 'a'] });
    expect(result.failure_reason).toContain('no eligible edge leaves "a"');
    expect(result.failure_reason).toMatch(/to "b": .*context\.x.*7.*to "c": .*context\.y/);
  });

  test('20, 23: under on_failure=continue the stage counts as failed and the run as degraded', async () => {
    const { result } = await runPipeline(line('on_failure=continue'), { script: { a: failed } });
    expect(result).toMatchObject({
      status: 'success',
      quality: 'degraded',
      failed_stages: ['a'],
      completed_nodes: ['start', 'a', 'b'],
    });
  });
});

const gate = (...statements: readonly string[]) =>
  pipeline(
    ...['g [shape=hexagon, label="Ship?"]', 'ship', 'fix', 'start -> g'],
    ...['g -> ship [label="[A] Approve"]', 'g -> fix [label="[F] Fix"]', 'ship -> exit', 'fix -> exit'],
    ...statements,
  );

describe('20a: a human gate that failed', () => {
  const skipped: Setup = { interviewer: { ask: () => Promise.resolve({ value: 'SKIPPED' }) } };
  testEach<PathCase>(
    [
      { name: 'ends the run', dot: gate(), path: 'g', fails: 'human skipped interaction' },
      {
        name: 'follows a matching condition',
        dot: gate('g -> fix [condition="outcome=fail"]'),
        path: 'g fix',
      },
      { name: 'follows its retry target', dot: gate('g [retry_target=fix]'), path: 'g fix' },
      {
        name: 'does not continue under on_failure=continue',
        dot: gate('g [on_failure=continue]'),
        path: 'g',
        fails: 'human skipped interaction',
      },
      {
        name: 'does not continue into a diamond',
        dot: pipeline(
          ...[
            'g [shape=hexagon]',
            'd [shape=diamond]',
            'start -> g -> d',
            'd -> exit [condition="outcome=success"]',
          ],
          'd -> exit',
        ),
        path: 'g',
        fails: 'human skipped interaction',
      },
    ],
    (entry) => expectPath({ ...entry, ...skipped }),
  );
});

describe('20a: a fan-in that failed', () => {
  const fanIn = (attributes: string, ...more: readonly string[]) =>
    pipeline(
      `fan [shape=component]; join [shape=tripleoctagon, prompt=""${attributes}]`,
      'start -> fan; fan -> a -> join; fan -> b -> join; join -> exit; fix -> exit; start -> fix [weight=-1]',
      ...more,
    );
  testEach<PathCase>(
    [
      {
        name: 'ends the run',
        dot: fanIn(''),
        path: 'fan a b join',
        fails: 'all parallel branches failed: a, b',
      },
      {
        name: 'follows a matching condition',
        dot: fanIn('', 'join -> fix [condition="outcome=fail"]'),
        path: 'fan a b join fix',
      },
      { name: 'follows its retry target', dot: fanIn(', retry_target=fix'), path: 'fan a b join fix' },
      {
        name: 'does not continue under on_failure=continue',
        dot: fanIn(', on_failure=continue'),
        path: 'fan a b join',
        fails: 'all parallel branches failed',
      },
      {
        name: 'does not continue into a diamond',
        dot: fanIn('', 'd [shape=diamond]; join -> d [weight=1]; d -> fix [condition="outcome=fail"]'),
        path: 'fan a b join',
        fails: 'all parallel branches failed',
      },
      {
        name: '24: is not retried',
        dot: fanIn(', max_retries=3, on_failure=stop'),
        path: 'fan a b join',
        fails: 'all parallel branches failed: a, b',
      },
    ],
    async (entry) => {
      const setup = { ...entry, script: { a: failed, b: failed } };
      await expectPath(setup);
      const { events } = await runPipeline(entry.dot, { script: setup.script });
      expect(eventsOf(events, 'StageRetrying')).toEqual([]);
    },
  );
});

describe('40: the exit', () => {
  test('is executed, but is not among the completed nodes', async () => {
    const executed: string[] = [];
    const dot = pipeline('a', 'start -> a -> exit');
    const { result } = await runPipeline(dot, {
      handlers: {
        exit: ({ node }) => {
          executed.push(node.id);
          return { status: 'success' };
        },
      },
    });
    expect(executed).toEqual(['exit']);
    expect(result.completed_nodes).toEqual(['start', 'a']);
    expect(result.path).toEqual(['start', 'a', 'exit']);
  });

  test('fails the run when its handler does', async () => {
    const { result } = await runPipeline(pipeline('a', 'start -> a -> exit'), { script: { exit: failed } });
    expect(result).toMatchObject({ status: 'fail', failure_reason: 'broken', failed_node: 'exit' });
  });
});
