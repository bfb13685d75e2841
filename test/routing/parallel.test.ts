import { describe, expect, test, vi } from 'vitest';
import type { Handler, Stage } from '../../src/handlers/handler.js';
import type { BranchResult } from '../../src/machine/state.js';
import { systemClock } from '../../src/run/driver/clock.js';
import {
  eventsOf,
  failingBranches,
  fileOf,
  jsonOf,
  type PipelineRun,
  pipeline,
  runOnDisk,
  runPipeline,
  type Setup,
  testEach,
} from '../run/harness.js';
import { processes } from '../support/processes.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { expectPath, type PathCase } from './path-case.js';

const fail = { outcome: 'fail', failure_reason: 'red' };
const final = { ...fail, retryable: false };

/** Three branches of one stage each, and a fan-in. */
const fan = (attributes = '', ...more: readonly string[]) =>
  pipeline(
    `fan [shape=component${attributes && `, ${attributes}`}]`,
    'node [type=custom]',
    'a; b; c',
    'join [shape=tripleoctagon, type="parallel.fan_in"]',
    'start -> fan',
    'fan -> a -> join; fan -> b -> join; fan -> c -> join',
    'join -> exit',
    ...more,
  );

/** The same, meeting at a plain stage, which keeps the results. */
const box = (attributes = '', ...more: readonly string[]) =>
  fan(attributes, ...more).replace(
    'join [shape=tripleoctagon, type="parallel.fan_in"]',
    'join [type=custom]',
  );

const custom = (execute: Handler['execute']): Setup => ({ handlers: { custom: execute } });
const succeed: Setup = custom(({ node }) => ({ status: 'success', notes: `did ${node.id}` }));

const resultsIn = ({ result }: PipelineRun) =>
  result.context['parallel.results'] as unknown as readonly BranchResult[];

/** Rejects as soon as the stage is told to stop, and says so. */
function untilStopped({ node, signal }: Stage, stopped: string[]): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      stopped.push(node.id);
      reject(signal.reason);
    });
  });
}

describe('11.6, 11.12: parallel fan-out and fan-in complete correctly', () => {
  test('every branch runs, the results come in the order of the edges, and the run continues at the join', async () => {
    const { result, events, directory } = await runPipeline(fan(), succeed);
    expect(result.status).toBe('success');
    expect(result.path).toEqual(['start', 'fan', 'a', 'b', 'c', 'join', 'exit']);
    expect(result.context['parallel.fan_in.best_id']).toBe('a');
    expect(result.context['parallel.results']).toEqual([]);
    expect(eventsOf(events, 'ParallelStarted')).toMatchObject([{ branch_count: 3, join: 'join' }]);
    expect(eventsOf(events, 'ParallelBranchCompleted').map(({ branch }) => branch)).toEqual(['a', 'b', 'c']);
    expect(eventsOf(events, 'ParallelCompleted')).toMatchObject([{ success_count: 3, failure_count: 0 }]);
    expect(jsonOf(directory, 'a', 'status.json')).toMatchObject({ outcome: 'success' });
  });

  test('4.8: the branches run at the same time', async () => {
    const waiting: (() => void)[] = [];
    const { result } = await runPipeline(fan(), {
      ...custom(async () => {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          if (waiting.length === 3) for (const go of waiting) go();
        });
        return { status: 'success' };
      }),
    });
    expect(result.status).toBe('success');
  });
});

describe('the way through branches', () => {
  const line = (...statements: readonly string[]) =>
    pipeline('fan [shape=component]', 'start -> fan', ...statements);
  const cases: readonly PathCase[] = [
    {
      name: '48: a branch is an ordinary way, up to the join, which runs once',
      dot: line('fan -> a -> a2 -> join', 'fan -> b -> join', 'join -> after -> exit', 'node [label=x] join'),
      path: 'fan a b a2 join after',
    },
    {
      name: '106: branches go on to the join that the parallel node names',
      dot: pipeline(
        'fan [shape=component, join=report]; start -> fan',
        'fan -> a -> check -> report; fan -> b -> check; report -> exit',
      ),
      path: 'fan a b check check report',
    },
    {
      name: '48: conditions, labels and diamonds route within a branch',
      dot: line(
        'd [shape=diamond]',
        'fan -> a -> d; d -> x [condition="outcome=fail"]; d -> y [condition="outcome=success"]',
        'x -> join; y -> join; fan -> b -> join -> exit',
      ),
      script: { a: fail },
      path: 'fan a b d x join',
    },
    {
      name: '48: an edge of the parallel node straight to the join is an empty branch',
      dot: line('join [shape=tripleoctagon]', 'fan -> a -> join -> exit', 'fan -> join'),
      path: 'fan a join',
    },
    {
      name: '48a: a branch that reaches the exit ends there; its gate is asked for at the exit of the run',
      dot: line(
        'a [goal_gate=true, on_failure=continue]; retry_target=fan',
        'fan -> a -> exit [weight=1]; a -> join; fan -> b -> join -> exit',
      ),
      script: { a: [fail, {}] },
      path: 'fan a b join fan a b join',
    },
    {
      name: '48a: a failure without a route ends its branch, not the run',
      dot: line('fan -> a -> a2 -> join', 'fan -> b -> join -> exit'),
      script: { a: fail },
      path: 'fan a b join',
    },
    {
      name: '48a: a routing hole ends its branch',
      dot: line('fan -> a -> a2 [condition="context.x=1"]', 'a2 -> join', 'fan -> b -> join -> exit'),
      path: 'fan a b join',
    },
    {
      name: '48: retries, retry targets and diamonds within a branch',
      dot: line('a2 [retry_target=a, max_retries=1]', 'fan -> a -> a2 -> join; fan -> b -> join -> exit'),
      script: { a2: [fail, fail, {}] },
      path: 'fan a b a2 a a2 join',
    },
    {
      name: '44j: conditions on the edges of a component are ignored',
      dot: line(
        'fan -> a [condition="outcome=fail"]',
        'fan -> b [condition="context.x=1"]',
        'a -> join; b -> join -> exit',
      ),
      path: 'fan a b join',
    },
    {
      name: '48: several edges to one node are several branches',
      dot: line('fan -> a', 'fan -> a -> join -> exit'),
      path: 'fan a a join',
    },
    {
      name: '48: a loop around the parallel node runs its branches again',
      dot: line(
        'fan -> a -> join; fan -> b -> join; join -> fan [condition="context.round=1"]; join -> exit',
      ),
      script: { join: [{ context_updates: { round: 1 } }, { context_updates: { round: 2 } }] },
      path: 'fan a b join fan a b join',
    },
    {
      name: '48: two parallel nodes share their stages',
      dot: line(
        'fan2 [shape=component]',
        'fan -> a -> join; fan -> b -> join; join -> fan2 [condition="context.round=1"]; join -> exit',
        'fan2 -> a; fan2 -> b',
      ),
      script: { join: [{ context_updates: { round: 1 } }, { context_updates: { round: 2 } }] },
      path: 'fan a b join fan2 a b join',
    },
    {
      name: '48: parallel nodes three deep',
      dot: line(
        'in2 [shape=component]; in3 [shape=component]',
        'j1 [shape=tripleoctagon]; j2 [shape=tripleoctagon]; j3 [shape=tripleoctagon]',
        'fan -> a -> j1; fan -> in2; in2 -> b -> j2; in2 -> in3; in3 -> c -> j3; in3 -> d -> j3; j3 -> j2 -> j1 -> exit',
      ),
      path: 'fan a in2 b in3 c d j3 j2 j1',
    },
    {
      name: '48: a branch of an inner parallel node that comes to the outer join ends there',
      dot: line(
        'inner [shape=component]; in [shape=tripleoctagon]; out [shape=tripleoctagon]',
        'fan -> inner; inner -> a -> in; inner -> b -> in; b -> out [weight=1]; in -> out; fan -> c -> out -> exit',
      ),
      path: 'fan inner c a b in out',
    },
    {
      name: '4.8: a component without edges fails',
      dot: pipeline('fan [shape=component]', 'start -> fan', 'start -> exit [weight=-1]'),
      path: 'fan',
      fails: '"fan" has no outgoing edges, so it has no branches to run',
    },
    {
      name: 'DESIGN 5: a scripted component runs no branches',
      dot: line('fan -> a -> join; fan -> b -> join -> exit'),
      script: { fan: { outcome: 'success' } },
      path: 'fan join',
    },
    {
      name: '53a: a fan-in without a parallel node before it fails',
      dot: pipeline('in [shape=tripleoctagon]', 'start -> a -> in -> exit'),
      path: 'a in',
      fails: 'No parallel results to evaluate',
    },
    {
      name: '53a: the results of an earlier parallel node are used up',
      dot: line(
        'in [shape=tripleoctagon]; in2 [shape=tripleoctagon]',
        'fan -> a -> in; fan -> b -> in -> in2 -> exit',
      ),
      path: 'fan a b in in2',
      fails: 'No parallel results to evaluate',
    },
    {
      name: '54a: several plain edges of an ordinary stage are not branches',
      dot: pipeline('start -> a', 'a -> b; a -> c; b -> exit; c -> exit'),
      path: 'a b',
    },
    {
      name: '20: a parallel node that fails takes its retry_target',
      dot: pipeline(
        'fan [shape=component, error_policy=fail_fast, retry_target=fix]',
        'start -> fan; fan -> a -> join; fan -> b -> join -> exit; fix -> fan; start -> fix [weight=-1]',
      ),
      script: { a: [fail, {}] },
      path: 'fan a b fix fan a b join',
    },
    {
      name: '20: or continues at the join, under on_failure=continue',
      dot: pipeline(
        'fan [shape=component, error_policy=fail_fast, on_failure=continue]',
        'start -> fan; fan -> a -> join; fan -> b -> join -> exit',
      ),
      script: { a: fail },
      path: 'fan a b join',
    },
    {
      name: '24: with max_retries it runs its branches again',
      dot: pipeline(
        'fan [shape=component, error_policy=fail_fast, max_retries=1, max_parallel=1]',
        'start -> fan; fan -> a -> join; fan -> b -> join -> exit',
      ),
      script: { a: [fail, {}] },
      path: 'fan a a b join',
    },
    {
      name: '24: but not where the branch failed for good',
      dot: pipeline(
        'fan [shape=component, error_policy=fail_fast, max_retries=3, max_parallel=1]',
        'start -> fan; fan -> a -> join; fan -> b -> join -> exit',
      ),
      script: { a: final },
      path: 'fan a',
      fails: 'branch "a" failed: red',
      failedNode: 'fan',
    },
    {
      name: 'D: a failure for good does not loop, in a branch either',
      dot: pipeline(
        'fan [shape=component, error_policy=fail_fast, retry_target=fan, max_parallel=1]',
        'start -> fan; fan -> a -> join; fan -> b -> join -> exit',
      ),
      script: { a: final },
      path: 'fan a fan a',
      fails: 'branch "a" failed: red',
    },
    {
      name: 'D: nor does a branch go back to a stage that fails for good',
      dot: line('a2 [retry_target=a]', 'fan -> a -> a2 -> join', 'fan -> b -> join -> exit'),
      script: { a2: final },
      path: 'fan a b a2 a a2 join',
    },
    {
      name: '32: a goal gate on the parallel node, and on a stage in a branch',
      dot: pipeline(
        'fan [shape=component, goal_gate=true, retry_target=fan]',
        'b [goal_gate=true]; retry_target=fan',
        'start -> fan; fan -> a -> join; fan -> b -> join -> exit',
      ),
      script: { b: [fail, {}] },
      path: 'fan a b join fan a b join',
    },
  ];
  testEach(cases, expectPath);
});

describe('48a: how a branch ends', () => {
  testEach(
    [
      {
        name: 'success',
        script: {},
        expected: { status: 'success', failure_reason: '', completed_nodes: ['a', 'a2'] },
      },
      {
        name: 'a partial success',
        script: { a2: { outcome: 'partial_success', notes: 'nearly' } },
        expected: { status: 'partial_success', notes: 'nearly' },
      },
      {
        name: 'a failure without a route, with its reason',
        script: { a: fail },
        expected: { status: 'fail', outcome: 'fail', failure_reason: 'red', completed_nodes: ['a'] },
      },
      {
        name: 'RETRY that is used up',
        script: { a: { outcome: 'retry', failure_reason: 'busy' } },
        expected: { status: 'fail', failure_reason: 'max retries exceeded: busy' },
      },
      {
        name: 'a routing hole',
        script: { a: { preferred_label: 'x', context_updates: { hole: true } } },
        more: 'a -> a2 [condition="context.hole!=true"]',
        expected: { status: 'fail', failure_reason: expect.stringContaining('no eligible edge leaves "a"') },
      },
      {
        name: 'a loop_restart, which a branch cannot do',
        script: { a: { outcome: 'fail' } },
        more: 'a -> start2 [condition="outcome=fail", loop_restart=true]; start2 -> exit',
        expected: {
          status: 'fail',
          failure_reason: expect.stringContaining('which is not possible in a parallel branch'),
          completed_nodes: ['a'],
        },
      },
      {
        name: 'the exit',
        script: {},
        more: 'a2 -> exit [weight=1]',
        expected: { status: 'success', completed_nodes: ['a', 'a2'] },
      },
    ],
    async ({ name, script, more = '', expected }) => {
      const edges = name === 'a routing hole' ? more : `a -> a2 ${more && `; ${more}`}`;
      const dot = pipeline(
        'fan [shape=component]',
        `start -> fan; fan -> a; ${edges}; a2 -> join; fan -> b -> join -> exit`,
      );
      const run = await runPipeline(dot, { ruleSettings: failingBranches, script });
      expect(resultsIn(run)[0]).toMatchObject({ id: 'a', ...expected });
      expect(run.result.status).toBe('success');
    },
  );
});

describe('50: parallel.results', () => {
  test('has all that is said of a branch, in the order of the edges, not of the ends', async () => {
    const run = await runPipeline(box('', 'a2 [type=custom]', 'a -> a2 [weight=1]; a2 -> join'), {
      script: {
        a: { delay: '3s', context_updates: { x: 1, score: 2 }, notes: 'first' },
        a2: { context_updates: { x: 2 }, notes: 'last' },
        b: { ...fail, delay: '1s' },
        c: { outcome: 'partial_success', delay: '2s' },
        join: {},
      },
    });
    expect(resultsIn(run)).toEqual([
      {
        id: 'a',
        status: 'success',
        outcome: 'success',
        notes: 'last',
        failure_reason: '',
        score: 2,
        context_updates: { x: 2, score: 2 },
        completed_nodes: ['a', 'a2'],
        duration_ms: 3000,
      },
      expect.objectContaining({ id: 'b', status: 'fail', failure_reason: 'red', duration_ms: 1000 }),
      expect.objectContaining({ id: 'c', status: 'partial_success', score: 0, duration_ms: 2000 }),
    ]);
    expect(run.result.context).toMatchObject({
      'parallel.count': 3,
      'parallel.success_count': 2,
      'parallel.fail_count': 1,
    });
    expect(eventsOf(run.events, 'ParallelBranchCompleted').map(({ branch }) => branch)).toEqual([
      'b',
      'c',
      'a',
    ]);
  });

  test('53: the fan-in ranks by outcome, then score, then id', async () => {
    const best = async (script: object) =>
      (await runPipeline(fan(), { script })).result.context['parallel.fan_in.best_id'];
    const ok = { outcome: 'success' };
    const scored = (score: number) => ({ ...ok, context_updates: { score } });
    expect(await best({ a: fail, b: { outcome: 'partial_success' }, c: ok })).toBe('c');
    expect(await best({ a: scored(1), b: scored(3), c: scored(2) })).toBe('b');
    expect(await best({ a: ok, b: scored(-1), c: ok })).toBe('a');
    expect(await best({ a: { outcome: 'skipped' }, b: { outcome: 'partial_success' }, c: fail })).toBe('b');
  });
});

describe('51: contexts', () => {
  test('a branch sees what was there before, and nothing of the others; nothing of it is merged', async () => {
    const seen: Record<string, unknown> = {};
    const dot = pipeline(
      'node [type=custom]; before; fan [shape=component, type=parallel, max_parallel=1]; a; a2; b; join',
      'start -> before -> fan -> a -> a2 -> join; fan -> b -> join -> exit',
    );
    const { result } = await runPipeline(
      dot,
      custom(({ node, context }) => {
        seen[node.id] = [context.get('x'), context.get('list')];
        if (node.id === 'before') return { status: 'success', context_updates: { x: 'before', list: [1] } };
        return { status: 'success', context_updates: { x: node.id, list: [1, 2] } };
      }),
    );
    expect(seen).toEqual({
      before: [undefined, undefined],
      a: ['before', [1]],
      a2: ['a', [1, 2]],
      b: ['before', [1]],
      join: ['before', [1]],
    });
    expect(result.context).toMatchObject({ x: 'join' });
  });

  test('69: preferred_label is cleared where a branch begins', async () => {
    const seen: unknown[] = [];
    const dot = pipeline(
      'before; fan [shape=component]; a [type=custom]; b',
      'start -> before -> fan -> a -> join; fan -> b -> join -> exit',
    );
    const { result } = await runPipeline(dot, {
      script: { before: { preferred_label: 'Go' } },
      ...custom(({ context }) => {
        seen.push(context.get('preferred_label'));
        return { status: 'success' };
      }),
    });
    expect(seen).toEqual(['']);
    expect(result.context.preferred_label).toBe('Go');
  });
});

interface PolicyCase {
  readonly name: string;
  readonly attributes: string;
  /** Of the branches a, b and c; a branch takes a second longer than the one before it. */
  readonly outcomes: readonly ('success' | 'partial_success' | 'fail' | 'skipped')[];
  /** Of the parallel node. */
  readonly status: string;
  /** Of the branches, as the results have them. */
  readonly results: string;
  readonly counts: readonly [number, number, number];
}

const [ok, partial, red, none] = ['success', 'partial_success', 'fail', 'skipped'] as const;

const policies: readonly PolicyCase[] = [
  {
    name: '49a: wait_all, no failure',
    attributes: '',
    outcomes: [ok, partial, none],
    status: ok,
    results: 'success partial_success skipped',
    counts: [3, 2, 0],
  },
  {
    name: '49a: wait_all, a failure',
    attributes: '',
    outcomes: [ok, red, ok],
    status: partial,
    results: 'success fail success',
    counts: [3, 2, 1],
  },
  {
    name: '49a: wait_all, nothing but failures',
    attributes: '',
    outcomes: [red, red, red],
    status: partial,
    results: 'fail fail fail',
    counts: [3, 0, 3],
  },
  {
    name: '49: k_of_n, met',
    attributes: 'join_policy=k_of_n, join_k=2',
    outcomes: [ok, red, partial],
    status: ok,
    results: 'success fail partial_success',
    counts: [3, 2, 1],
  },
  {
    name: '49: k_of_n, unmet',
    attributes: 'join_policy=k_of_n, join_k=3',
    outcomes: [ok, red, ok],
    status: red,
    results: 'success fail success',
    counts: [3, 2, 1],
  },
  {
    name: '49: k_of_n needs one by default',
    attributes: 'join_policy=k_of_n',
    outcomes: [red, red, ok],
    status: ok,
    results: 'fail fail success',
    counts: [3, 1, 2],
  },
  {
    name: '49: quorum, met: half of three are two',
    attributes: 'join_policy=quorum',
    outcomes: [ok, red, ok],
    status: ok,
    results: 'success fail success',
    counts: [3, 2, 1],
  },
  {
    name: '49: quorum, unmet',
    attributes: 'join_policy=quorum',
    outcomes: [ok, red, red],
    status: red,
    results: 'success fail fail',
    counts: [3, 1, 2],
  },
  {
    name: '49: quorum of a third is one',
    attributes: 'join_policy=quorum, join_quorum=0.33',
    outcomes: [ok, red, red],
    status: ok,
    results: 'success fail fail',
    counts: [3, 1, 2],
  },
  {
    name: '108: a quorum of 1, one failed: all of them have to succeed',
    attributes: 'join_policy=quorum, join_quorum=1',
    outcomes: [ok, red, ok],
    status: red,
    results: 'success fail success',
    counts: [3, 2, 1],
  },
  {
    name: '108: a quorum of 1, all succeeded',
    attributes: 'join_policy=quorum, join_quorum=1',
    outcomes: [ok, partial, ok],
    status: ok,
    results: 'success partial_success success',
    counts: [3, 3, 0],
  },
  {
    name: '49: first_success, met: the others are stopped',
    attributes: 'join_policy=first_success',
    outcomes: [red, ok, ok],
    status: ok,
    results: 'fail success skipped',
    counts: [3, 1, 1],
  },
  {
    name: '49a: first_success, unmet',
    attributes: 'join_policy=first_success',
    outcomes: [red, red, none],
    status: red,
    results: 'fail fail skipped',
    counts: [3, 0, 2],
  },
  {
    name: '52: fail_fast, a failure: the others are stopped',
    attributes: 'error_policy=fail_fast',
    outcomes: [ok, red, ok],
    status: red,
    results: 'success fail skipped',
    counts: [3, 1, 1],
  },
  {
    name: '52: fail_fast, no failure',
    attributes: 'error_policy=fail_fast',
    outcomes: [ok, ok, partial],
    status: ok,
    results: 'success success partial_success',
    counts: [3, 3, 0],
  },
  {
    name: '52: fail_fast, one by one: what had not begun is skipped',
    attributes: 'error_policy=fail_fast, max_parallel=1',
    outcomes: [red, ok, ok],
    status: red,
    results: 'fail skipped skipped',
    counts: [3, 0, 1],
  },
  {
    name: '52: fail_fast and first_success: what comes first decides',
    attributes: 'error_policy=fail_fast, join_policy=first_success',
    outcomes: [ok, red, ok],
    status: ok,
    results: 'success skipped skipped',
    counts: [3, 1, 0],
  },
  {
    name: '52: ignore, a failure',
    attributes: 'error_policy=ignore',
    outcomes: [ok, red, ok],
    status: ok,
    results: 'success success',
    counts: [2, 2, 0],
  },
  {
    name: '52: ignore and k_of_n',
    attributes: 'error_policy=ignore, join_policy=k_of_n, join_k=2',
    outcomes: [ok, red, red],
    status: red,
    results: 'success',
    counts: [1, 1, 0],
  },
  {
    name: '52: ignore and quorum: failures do not count',
    attributes: 'error_policy=ignore, join_policy=quorum, join_quorum=1',
    outcomes: [ok, red, red],
    status: ok,
    results: 'success',
    counts: [1, 1, 0],
  },
  {
    name: '52: ignore, nothing but failures',
    attributes: 'error_policy=ignore',
    outcomes: [red, red, red],
    status: ok,
    results: '',
    counts: [0, 0, 0],
  },
  {
    name: '52: ignore, nothing but failures, and k_of_n',
    attributes: 'error_policy=ignore, join_policy=k_of_n',
    outcomes: [red, red, red],
    status: ok,
    results: '',
    counts: [0, 0, 0],
  },
];

describe('49, 49a, 52: what the branches together amount to', () => {
  testEach(policies, async ({ attributes, outcomes, status, results, counts }) => {
    const script = Object.fromEntries(
      ['a', 'b', 'c'].map((id, index) => [
        id,
        { outcome: outcomes[index], delay: `${index + 1}s`, failure_reason: 'red' },
      ]),
    );
    const run = await runPipeline(box(`on_failure=continue${attributes && `, ${attributes}`}`), {
      script: { ...script, join: {} },
    });
    const settled = run.events.find((event) => 'outcome' in event && event.node_id === 'fan');
    expect(settled).toMatchObject({ outcome: { status } });
    expect(
      resultsIn(run)
        .map((result) => result.status)
        .join(' '),
    ).toBe(results);
    const { context } = run.result;
    expect([
      context['parallel.count'],
      context['parallel.success_count'],
      context['parallel.fail_count'],
    ]).toEqual(counts);
  });

  test('52, 53: with all failures ignored, there is nothing for the fan-in to choose from', async () => {
    const { result } = await runPipeline(fan('error_policy=ignore'), {
      script: { a: fail, b: fail, c: fail },
    });
    expect(result).toMatchObject({
      status: 'fail',
      failed_node: 'join',
      failure_reason: 'No parallel results to evaluate',
    });
  });

  test('49a, 53: wait_all continues with nothing but failures, and the fan-in fails', async () => {
    const { result } = await runPipeline(fan(), { script: { a: fail, b: fail, c: fail } });
    expect(result).toMatchObject({
      status: 'fail',
      failed_node: 'join',
      failure_reason: expect.stringContaining('a, b, c'),
    });
  });

  test('the reason of a parallel node that fails names the branch, and the reason of that', async () => {
    const { result } = await runPipeline(fan('join_policy=k_of_n, join_k=3'), {
      script: { b: fail },
      ...succeed,
    });
    expect(result.failure_reason).toBe(
      '2 of 3 branches succeeded, and `join_policy=k_of_n` needs 3; branch "b" failed: red',
    );
  });
});

describe('52: branches that no longer matter', () => {
  test.each([
    ['fail_fast', 'error_policy=fail_fast', fail],
    ['first_success', 'join_policy=first_success', { outcome: 'success' }],
  ])('%s: their stages are told to stop, and recorded as skipped', async (_name, attributes, outcome) => {
    const stopped: string[] = [];
    const dot = fan(
      `${attributes}, on_failure=continue`,
      'inner [shape=component, type=parallel]; d; e',
      'c -> inner [weight=1]; inner -> d -> join; inner -> e -> join',
    ).replace('start -> fan', 'start -> fan\nc [type=codergen]');
    const { events, result } = await runPipeline(dot, {
      script: { a: { ...outcome, delay: '1s' }, c: {}, join: {} },
      ...custom((stage) => untilStopped(stage, stopped)),
    });
    expect(stopped.sort()).toEqual(['b', 'd', 'e']);
    expect(eventsOf(events, 'StageSkipped').map(({ node_id, branch }) => [node_id, branch])).toEqual([
      ['b', 'b'],
      ['d', 'c/d'],
      ['e', 'c/e'],
      ['inner', 'c'],
    ]);
    expect(
      eventsOf(events, 'ParallelBranchCompleted').map(({ branch, status, success, parent }) => [
        branch,
        status,
        success,
        parent,
      ]),
    ).toEqual([
      ['a', outcome.outcome, outcome.outcome === 'success', undefined],
      ['b', 'skipped', false, undefined],
      ['c/d', 'skipped', false, 'c'],
      ['c/e', 'skipped', false, 'c'],
      ['c', 'skipped', false, undefined],
    ]);
    expect(result.status).toBe('success');
    expect(result.path.at(-2)).toBe('join');
  });

  test('a branch that waits for its next attempt, or for a person, is stopped too', async () => {
    const asked: string[] = [];
    const dot = pipeline(
      'fan [shape=component, join_policy=first_success]',
      'a; b [max_retries=3, retry_policy=patient]; g [shape=hexagon]; join',
      'start -> fan; fan -> a -> join; fan -> b -> join; fan -> g -> join -> exit',
    );
    const { result, events } = await runPipeline(dot, {
      script: { a: { delay: '1s' }, b: { outcome: 'retry' } },
      interviewer: {
        ask: ({ stage }, signal) => {
          asked.push(stage);
          return new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason)),
          );
        },
      },
    });
    expect(asked).toEqual(['g']);
    expect(result).toMatchObject({ status: 'success', duration_ms: 1000, quality: 'clean' });
    expect(eventsOf(events, 'StageSkipped').map(({ node_id }) => node_id)).toEqual(['b', 'g']);
  });
});

test('52: the processes of a tool that no longer matters are ended, with all that it started', async () => {
  const directory = temporaryDirectory();
  const dot = pipeline(
    'fan [shape=component, error_policy=fail_fast, on_failure=continue]; node [shape=parallelogram]',
    `slow [tool_command="(while :; do sleep 0.05; done) & echo $$ > parent; wait"]`,
    `quick [tool_command="until test -s parent; do sleep 0.02; done; exit 3"]; join [tool_command="true"]`,
    'start -> fan; fan -> slow -> join; fan -> quick -> join; join -> exit',
  );
  const { result, events } = await runOnDisk(dot, { workingDirectory: directory, clock: systemClock });
  expect(result.status).toBe('success');
  expect(eventsOf(events, 'StageSkipped').map(({ node_id }) => node_id)).toEqual(['slow']);
  // The command of the tool and what it has started are one process group.
  const group = Number(fileOf(directory, 'parent'));
  expect(group).toBeGreaterThan(1);
  const living = () => processes().filter((process) => process.group === group);
  await vi.waitFor(() => expect(living()).toEqual([]), { timeout: 20_000 });
});

describe('52: max_parallel', () => {
  const watched = async (dot: string) => {
    let running = 0;
    let most = 0;
    const order: string[] = [];
    const { result } = await runPipeline(
      dot,
      custom(async ({ node, sleep }) => {
        running += 1;
        most = Math.max(most, running);
        order.push(node.id);
        await sleep(1000 * (order.length % 3));
        running -= 1;
        return { status: 'success' };
      }),
    );
    expect(result.status).toBe('success');
    return { most, order };
  };
  const many = (attributes: string) =>
    pipeline(
      `fan [shape=component${attributes}]; node [type=custom]; join`,
      'start -> fan; join -> exit',
      ...Array.from(
        { length: 10 },
        (_, index) => `fan -> n${index} -> m${index} -> join; n${index}; m${index}`,
      ),
    );

  test.each([
    ['4.8: four by default', '', 4],
    ['two', ', max_parallel=2', 2],
    ['more than there are', ', max_parallel=50', 10],
  ])('%s', async (_name, attributes, most) => {
    expect((await watched(many(attributes))).most).toBe(most);
  });

  test('one means one after the other, in the order of the edges', async () => {
    const { most, order } = await watched(many(', max_parallel=1'));
    expect(most).toBe(1);
    expect(order.slice(0, 4)).toEqual(['n0', 'm0', 'n1', 'm1']);
  });

  test('of an inner parallel node, it holds in each branch', async () => {
    const dot = pipeline(
      'fan [shape=component, max_parallel=2]; node [type=custom]; join; both',
      'inner [shape=component, type=parallel, max_parallel=2]; other [shape=component, type=parallel, max_parallel=1]',
      'start -> fan; fan -> inner; fan -> other; both -> exit',
      'inner -> a -> join; inner -> b -> join; inner -> c -> join; join -> both',
      'other -> d -> join2; other -> e -> join2; join2 -> both; join2',
    );
    expect((await watched(dot)).most).toBe(3);
  });
});

describe('30: the timeout of a parallel node', () => {
  const dot = (attributes = '') => box(`timeout=5s${attributes}`);

  test('that comes: the branches are stopped, and the node fails', async () => {
    const stopped: string[] = [];
    const { result, events } = await runPipeline(dot(), {
      script: { a: {} },
      ...custom((stage) => untilStopped(stage, stopped)),
    });
    expect(result).toMatchObject({
      status: 'fail',
      failed_node: 'fan',
      failure_reason: 'timeout after 5s',
      duration_ms: 5000,
    });
    expect(stopped).toEqual(['b', 'c']);
    expect(eventsOf(events, 'ParallelCompleted')).toMatchObject([
      { error: 'timeout after 5s', success_count: 1 },
    ]);
    expect(eventsOf(events, 'StageSkipped').map(({ node_id }) => node_id)).toEqual(['b', 'c']);
  });

  test('counts for each attempt', async () => {
    const { result } = await runPipeline(dot(', max_retries=1, retry_policy=linear'), {
      script: { a: {}, b: [{ delay: '1h' }, { delay: '3s' }], c: {}, join: {} },
    });
    expect(result).toMatchObject({ status: 'success' });
    expect(result.visits).toMatchObject({ fan: 1, b: 2 });
  });

  test('that does not come keeps nothing waiting', async () => {
    const { result } = await runPipeline(dot(), succeed);
    expect(result).toMatchObject({ status: 'success', duration_ms: 0 });
  });
});

describe('what is told of branches', () => {
  const dot = pipeline(
    'fan [shape=component]; inner [shape=component]',
    'start -> fan; fan -> a -> join; fan -> inner; inner -> b -> both; inner -> b; both -> join -> exit',
  );

  test('94: events of branches, and of stages in a branch, name it', async () => {
    const { events } = await runPipeline(dot);
    const places = eventsOf(events, 'StageStarted').map(
      ({ node_id, branch }) => `${branch ?? '-'}:${node_id}`,
    );
    expect(places).toEqual([
      '-:start',
      '-:fan',
      'a:a',
      'inner:inner',
      'inner/b:b',
      'inner/b#2:b',
      'inner:both',
      '-:join',
      '-:exit',
    ]);
    expect(eventsOf(events, 'EdgeSelected').find(({ from }) => from === 'a')).toMatchObject({ branch: 'a' });
    expect(
      eventsOf(events, 'ParallelBranchStarted').map(({ branch, index, parent }) => [branch, index, parent]),
    ).toEqual([
      ['a', 0, undefined],
      ['inner', 1, undefined],
      ['inner/b', 0, 'inner'],
      ['inner/b#2', 1, 'inner'],
    ]);
  });

  test('88: path has the stages in the order of their start, completed_nodes in that of their end', async () => {
    const { result } = await runPipeline(dot, {
      script: { a: { delay: '3s' }, b: [{ delay: '2s' }, { delay: '1s' }] },
    });
    expect(result.path).toEqual(['start', 'fan', 'a', 'inner', 'b', 'b', 'both', 'join', 'exit']);
    expect(result.completed_nodes).toEqual(['start', 'b', 'b', 'inner', 'both', 'a', 'fan', 'join']);
    expect(result).toMatchObject({ steps: 7, visits: { b: 2 } });
  });

  test('74a: the ordinal of a stage is that of its start in the run', async () => {
    const { events } = await runPipeline(dot);
    expect(eventsOf(events, 'StageStarted').map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });
});

describe('99: quality', () => {
  testEach(
    [
      {
        name: 'clean: all branches succeed, or are skipped',
        script: { c: { outcome: 'skipped' } },
        quality: 'clean',
      },
      { name: 'degraded: a branch failed', script: { b: fail }, quality: 'degraded' },
      {
        name: 'degraded: a branch succeeded in part',
        script: { b: { outcome: 'partial_success' } },
        quality: 'degraded',
      },
      {
        name: 'degraded: a branch failed whose failure is ignored',
        attributes: 'error_policy=ignore',
        script: { b: fail },
        quality: 'degraded',
      },
      {
        name: 'degraded: a branch failed whose last stage succeeded',
        attributes: 'error_policy=ignore',
        script: {},
        more: 'b -> a [loop_restart=true, weight=1]',
        quality: 'degraded',
      },
      {
        name: 'clean: what failed was done again',
        attributes: 'error_policy=fail_fast, max_retries=1, max_parallel=1',
        script: { b: [fail, {}] },
        quality: 'clean',
      },
      {
        name: 'failed: the run fails',
        attributes: 'error_policy=fail_fast',
        script: { b: fail },
        quality: 'failed',
      },
    ],
    async ({ attributes = '', script, more = '', quality }) => {
      const { result } = await runPipeline(fan(attributes, more), {
        ruleSettings: failingBranches,
        script,
        ...succeed,
      });
      expect(result.quality).toBe(quality);
    },
  );
});

test('DESIGN 5: a simulation runs the branches, by the script', async () => {
  const dot = fan().replace('node [type=custom]', 'node [shape=parallelogram, tool_command="exit 1"]');
  const { result } = await runPipeline(dot, { simulate: true, script: { b: fail } });
  expect(result).toMatchObject({ status: 'success', quality: 'degraded' });
  expect(result.context['parallel.fan_in.best_id']).toBe('a');
});
