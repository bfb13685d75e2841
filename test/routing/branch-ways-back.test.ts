import { describe, expect, test } from 'vitest';
import type { BranchResult } from '../../src/machine/state.js';
import {
  eventsOf,
  failingBranches,
  type PipelineRun,
  pipeline,
  runPipeline,
  type Setup,
} from '../run/harness.js';

const fail = { outcome: 'fail', failure_reason: 'red' };

/** What lint refuses is run all the same: a node that the main line runs too can do it, and nobody can prove that it does. */
const unproved: Setup = { ruleSettings: failingBranches };

/** `plan`, then two branches of one stage each, which meet at `join`. */
const fan = (...statements: readonly string[]) =>
  pipeline(
    'fan [shape=component]; join [shape=tripleoctagon]',
    'start -> plan -> fan; fan -> a -> join; fan -> b -> join -> exit',
    ...statements,
  );

const branches = ({ events }: PipelineRun) =>
  eventsOf(events, 'ParallelBranchCompleted').map(({ branch, status, error }) => [branch, status, error]);
const resultOf = ({ events }: PipelineRun, branch: string) =>
  eventsOf(events, 'ParallelBranchCompleted').find((event) => event.branch === branch)?.error;

describe('48a: a branch that leads back to its own parallel node', () => {
  test('by an edge, fails there, and the others continue', async () => {
    const dot = fan('a -> fan [condition="outcome=fail"]');
    const run = await runPipeline(dot, { ...unproved, script: { a: fail } });
    expect(run.result).toMatchObject({
      status: 'success',
      path: ['start', 'plan', 'fan', 'a', 'b', 'join', 'exit'],
    });
    expect(branches(run)).toEqual([
      [
        'a',
        'fail',
        '"a" leads back to "fan", but this branch belongs to it; a branch cannot run its own parallel node again',
      ],
      ['b', 'success', undefined],
    ]);
  });

  test.each(['fan', 'plan'])(
    'does not jump to "%s" by its retry_target: it fails with both reasons',
    async (target) => {
      const run = await runPipeline(fan(`a [retry_target=${target}]`), { ...unproved, script: { a: fail } });
      expect(run.result).toMatchObject({
        status: 'success',
        path: ['start', 'plan', 'fan', 'a', 'b', 'join', 'exit'],
      });
      const way = target === 'fan' ? 'is' : 'only leads back to "fan",';
      const why = `retry_target of "a" is skipped: "${target}" ${way} the parallel node of the branch, which a branch cannot run again`;
      expect(branches(run)[0]).toEqual(['a', 'fail', `red; ${why}`]);
      expect(eventsOf(run.events, 'LogAppended')).toMatchObject([
        { level: 'warning', message: why, node_id: 'a' },
      ]);
    },
  );

  test('takes its fallback_retry_target instead, where that is inside', async () => {
    const dot = fan('a [retry_target=plan, fallback_retry_target=a]');
    const { result } = await runPipeline(dot, { ...unproved, script: { a: [fail, {}] } });
    expect(result.path).toEqual(['start', 'plan', 'fan', 'a', 'b', 'a', 'join', 'exit']);
  });

  test('may go to a stage before it from which another way comes to the end', async () => {
    const dot = fan('a [retry_target=plan]', 'plan -> exit [condition="context.rounds=1", weight=1]');
    const script = { a: { ...fail, context_updates: { rounds: 1 } } };
    const { result } = await runPipeline(dot, { script });
    expect(result.path).toEqual(['start', 'plan', 'fan', 'a', 'b', 'plan', 'join', 'exit']);
  });

  test('a stage that the main line runs too jumps there, and not in the branch', async () => {
    const dot = pipeline(
      'fan [shape=component]; join [shape=tripleoctagon]; shared [retry_target=plan]',
      'start -> shared -> plan -> fan; fan -> shared; fan -> b -> join -> exit',
      'shared -> join [condition="context.planned=true"]',
    );
    const run = await runPipeline(dot, { script: { shared: fail } });
    expect(run.result.path).toEqual(['start', 'shared', 'plan', 'fan', 'shared', 'b', 'join', 'exit']);
    expect(resultOf(run, 'shared')).toContain('"plan" only leads back to "fan"');
  });

  test('from an inner parallel node to the outer one', async () => {
    const dot = fan(
      'in [shape=component]; near [shape=tripleoctagon]; c [retry_target=plan]; d [retry_target=in]',
      'a -> in [weight=1]; in -> c -> near; in -> d -> near; near -> join',
    );
    const run = await runPipeline(dot, { ...unproved, script: { c: fail, d: fail } });
    expect(run.result.path).toEqual([
      'start',
      'plan',
      'fan',
      'a',
      'b',
      'in',
      'c',
      'd',
      'near',
      'join',
      'exit',
    ]);
    expect(resultOf(run, 'a/c')).toContain('"plan" only leads back to "fan"');
    expect(resultOf(run, 'a/d')).toContain('"in" is the parallel node of the branch');
  });

  test('the inner parallel node itself may go back to itself', async () => {
    const dot = fan(
      'in [shape=component, error_policy=fail_fast, retry_target=in, max_parallel=1]; near [shape=tripleoctagon]',
      'a -> in [weight=1]; in -> c -> near; in -> d -> near; near -> join',
    );
    const { result } = await runPipeline(dot, { script: { c: [fail, {}] } });
    expect(result.path).toEqual([
      'start',
      'plan',
      'fan',
      'a',
      'b',
      'in',
      'c',
      'in',
      'c',
      'd',
      'near',
      'join',
      'exit',
    ]);
  });

  test('33: a goal gate in a branch goes back to the parallel node from the exit', async () => {
    const dot = fan('a [goal_gate=true, retry_target=fan]');
    const run = await runPipeline(dot, { script: { a: [fail, {}] } });
    expect(run.result).toMatchObject({
      status: 'success',
      path: ['start', 'plan', 'fan', 'a', 'b', 'join', 'fan', 'a', 'b', 'join', 'exit'],
    });
    expect(eventsOf(run.events, 'EdgeSelected').filter(({ gate }) => gate !== undefined)).toMatchObject([
      { to: 'fan', reason: 'goal_gate' },
    ]);
  });
});

test('82: the loop that a limit names is the one of the branch, without what the others do', async () => {
  const dot = fan(
    'a [max_visits=2]; a -> a2 [weight=1]; a2 -> a; b -> b [condition="context.again=true"]; a2',
  );
  const script = {
    b: [...[1, 2, 3].map(() => ({ delay: '1s', context_updates: { again: true } })), {}],
    a: { delay: '1s' },
  };
  const { result } = await runPipeline(dot, { script });
  expect(result.failure_reason).toContain('(loop: a -> a2 -> a)');
});

/** Branches that share a loop of two visits. */
const sharedLoop = (visits: number) =>
  pipeline(
    'fan [shape=component]; one; two; fix',
    `work [max_visits=${visits}]`,
    'join [shape=tripleoctagon]',
    'start -> fan; fan -> one -> work; fan -> two -> work',
    'work -> fix [condition="context.again=yes"]; work -> join [condition="context.again!=yes"]',
    'fix -> work; join -> exit',
  );

const twice = {
  one: { context_updates: { again: 'yes' } },
  two: { context_updates: { again: 'yes' } },
  fix: { context_updates: { again: 'no' } },
};

test('106: `max_visits` counts per branch', async () => {
  const { result } = await runPipeline(sharedLoop(2), { script: twice });
  expect(result).toMatchObject({ status: 'success', visits: { work: 4 } });
});

test('106: and says in which branch it was reached', async () => {
  const { result } = await runPipeline(sharedLoop(1), { script: twice });
  expect(result.failure_reason).toContain('"work" was visited 1 time in the branch "one", the limit');
});

test('106: a branch that begins again continues counting', async () => {
  const dot = pipeline(
    'fan [shape=component]; work [max_visits=2]; other; join [shape=tripleoctagon]; check',
    'start -> fan; fan -> work -> join; fan -> other -> join; join -> check',
    'check -> fan [condition="context.again=yes"]; check -> exit [condition="context.again!=yes"]',
  );
  const again = { context_updates: { again: 'yes' } };
  const { result } = await runPipeline(dot, { script: { check: again } });
  expect(result.failure_reason).toContain('"work" was visited 2 times in the branch "work", the limit');
});

test('106: the idempotency key names the branch, and the visit in it', async () => {
  const keys: string[] = [];
  const { result } = await runPipeline(sharedLoop(2).replace('work [', 'work [type=custom, '), {
    script: twice,
    handlers: {
      custom: ({ idempotencyKey }) => {
        keys.push(idempotencyKey);
        return { status: 'success' };
      },
    },
  });
  const { run_id: id } = result;
  expect(keys.sort()).toEqual(
    ['one/work/1', 'one/work/2', 'two/work/1', 'two/work/2'].map((key) => `${id}/${key}`),
  );
});

test('48a: a branch that would restart the pipeline says so in its result', async () => {
  const dot = pipeline(
    'fan [shape=component]; join',
    'start -> fan; fan -> a -> join; fan -> b -> join -> exit; a -> c [condition="outcome=fail", loop_restart=true]; c -> exit',
  );
  const run = await runPipeline(dot, { ...unproved, script: { a: fail } });
  const results = run.result.context['parallel.results'] as unknown as readonly BranchResult[];
  expect(results[0]).toMatchObject({
    status: 'fail',
    failure_reason:
      '"a" would restart the pipeline (`loop_restart`), which is not possible in a parallel branch',
  });
});
