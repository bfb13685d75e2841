import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Handler } from '../../src/handlers/handler.js';
import type { BranchResult } from '../../src/machine/state.js';
import { emptyScript } from '../../src/run-directory/simulation-script.js';
import { activeParallels } from '../../src/view/active-stages.js';
import { applyAll } from '../../src/view/fold/apply.js';
import { emptyView } from '../../src/view/fold/run-view.js';
import { projectOf } from './children/children.js';
import {
  eventsOf,
  fileOf,
  jsonOf,
  type PipelineRun,
  pipeline,
  resumePipeline,
  runOnDisk,
  runPipeline,
  type Setup,
  testEach,
} from './harness.js';

const fail = { outcome: 'fail', failure_reason: 'red' };

/** Three branches of two stages each, and a join that keeps the results. */
const fan = (attributes: string, ...more: readonly string[]) =>
  pipeline(
    `fan [shape=component, ${attributes}]; node [type=custom]; join`,
    'start -> fan; fan -> a -> a2 -> join; fan -> b -> b2 -> join; fan -> c -> c2 -> join; join -> exit',
    ...more,
  );

const custom = (execute: Handler['execute']): Setup => ({ handlers: { custom: execute } });

/** Runs until it is told to stop. */
const endless: Handler['execute'] = ({ signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

/** Resumes, and says which stages ran; those that are named fail once more. */
async function again(directory: string, failing: readonly string[] = [], setup: Setup = {}) {
  const ran: string[] = [];
  const execute: Handler['execute'] = ({ node }) => {
    ran.push(node.id);
    return failing.includes(node.id)
      ? { status: 'fail', failure_reason: 'still red' }
      : { status: 'success', notes: 'now' };
  };
  const run = await resumePipeline(directory, { ...setup, ...custom(execute) }, { script: emptyScript });
  return { ...run, ran };
}

const resultsIn = ({ result }: PipelineRun) =>
  result.context['parallel.results'] as unknown as readonly BranchResult[];

describe('66b: a run that failed by its parallel node continues with the branches that failed or were stopped', () => {
  testEach(
    [
      {
        name: 'k_of_n',
        attributes: 'join_policy=k_of_n, join_k=3',
        script: { b2: fail },
        ran: ['b2', 'join'],
      },
      {
        name: 'quorum',
        attributes: 'join_policy=quorum, join_quorum=0.9',
        script: { a: fail, c2: fail },
        ran: ['a', 'c2', 'a2', 'join'],
      },
      {
        name: 'first_success',
        attributes: 'join_policy=first_success, max_parallel=1',
        script: { a2: fail, b: fail, c: fail },
        ran: ['a2', 'join'],
      },
      {
        name: 'fail_fast, one at a time: what had not begun begins',
        attributes: 'error_policy=fail_fast, max_parallel=1',
        script: { b2: fail },
        ran: ['b2', 'c', 'c2', 'join'],
      },
      {
        name: 'fail_fast: what was stopped continues at the stage that was stopped',
        attributes: 'error_policy=fail_fast',
        script: { b2: { ...fail, delay: '1s' }, c2: { outcome: 'success', delay: '1h' } },
        ran: ['b2', 'c2', 'join'],
      },
      {
        name: 'the timeout of the parallel node',
        attributes: 'timeout="10s"',
        script: { a: { outcome: 'success', delay: '1h' }, c2: { outcome: 'success', delay: '1h' } },
        ran: ['a', 'c2', 'a2', 'join'],
      },
      {
        name: 'a routing hole',
        attributes: 'join_policy=k_of_n, join_k=3',
        more: 'a -> a2 [condition="context.x=1"]',
        script: { a: { outcome: 'success', preferred_label: 'x', context_updates: { hole: 1 } }, b: fail },
        ran: ['b', 'b2', 'join'],
      },
    ],
    async ({ attributes, script, more = '', ran }) => {
      const rest = Object.fromEntries(['a', 'a2', 'b', 'b2', 'c', 'c2', 'join'].map((id) => [id, {}]));
      const first = await runPipeline(fan(attributes, more), { script: { ...rest, ...script } });
      expect(first.result).toMatchObject({ status: 'fail', failed_node: 'fan' });
      const second = await again(first.directory);
      expect(second.result).toMatchObject({ status: 'success' });
      expect(second.ran).toEqual(ran);
    },
  );
});

describe('66b: branches that continue', () => {
  const kOf3 = 'join_policy=k_of_n, join_k=3, max_parallel=1';

  test('see what they set, and their results tell of all of it', async () => {
    const script = {
      a: { context_updates: { x: 1, score: 3 } },
      a2: fail,
      b: { notes: 'first' },
      b2: {},
      c: {},
      c2: {},
    };
    const first = await runPipeline(fan(kOf3), { script });
    const second = await again(first.directory);
    expect(eventsOf(second.events, 'ParallelStarted')).toMatchObject([{ node_id: 'fan', kept: 2 }]);
    expect(eventsOf(second.events, 'ParallelBranchStarted')).toMatchObject([
      { branch: 'a', index: 0, resumed: true },
    ]);
    expect(resultsIn(second)).toMatchObject([
      {
        id: 'a',
        status: 'success',
        score: 3,
        notes: 'now',
        context_updates: { x: 1, score: 3 },
        completed_nodes: ['a', 'a2', 'a2'],
      },
      { id: 'b', status: 'success', completed_nodes: ['b', 'b2'] },
      { id: 'c', status: 'success' },
    ]);
    expect(second.result.context).toMatchObject({ 'parallel.success_count': 3, 'parallel.fail_count': 0 });
    expect(jsonOf(first.directory, 'fan', 'parallel-results.json')).toEqual(resultsIn(second));
    const all = [...first.events, ...second.events];
    const begun = all.slice(
      0,
      all.findIndex(({ seq }) => seq > first.events.length + 4),
    );
    expect(activeParallels(applyAll(emptyView(), begun))).toMatchObject([
      { branch_count: 1, branches: [{ branch: 'a', state: 'running' }] },
    ]);
  });

  test('may fail once more, and continue once more', async () => {
    const rest = { a: {}, a2: {}, b: {}, c: {}, c2: {} };
    const first = await runPipeline(fan(kOf3), { script: { ...rest, a2: fail, b2: fail } });
    const second = await again(first.directory, ['b2']);
    expect(second.ran).toEqual(['a2', 'b2']);
    expect(second.result).toMatchObject({
      status: 'fail',
      failure_reason:
        '2 of 3 branches succeeded, and `join_policy=k_of_n` needs 3; branch "b" failed: still red',
    });
    const third = await again(first.directory);
    expect(third.ran).toEqual(['b2', 'join']);
    expect(third.result.status).toBe('success');
  });

  test('inside of branches that continue, and with values that are set now', async () => {
    const seen: unknown[] = [];
    const dot = fan(
      'error_policy=fail_fast',
      'in [shape=component, type=parallel, join_policy=k_of_n, join_k=2]; near',
      'a2 -> in [weight=1]; in -> d -> near; in -> e -> near; near -> join',
    );
    const script = {
      a: {},
      a2: {},
      b: {},
      b2: {},
      c: {},
      c2: {},
      d: { delay: '1s' },
      e: { ...fail, delay: '2s' },
    };
    const first = await runPipeline(dot, { script });
    expect(first.result).toMatchObject({ status: 'fail', failed_node: 'fan' });
    const ran: string[] = [];
    const second = await resumePipeline(
      first.directory,
      {
        inputs: { x: 7 },
        ...custom(({ node, context }) => {
          ran.push(node.id);
          seen.push(context.get('x'));
          return { status: 'success' };
        }),
      },
      { script: emptyScript },
    );
    expect(ran).toEqual(['e', 'near', 'join']);
    expect(seen).toEqual([7, 7, 7]);
    expect(second.result.path.slice(first.result.path.length)).toEqual([
      'fan',
      'in',
      'e',
      'near',
      'join',
      'exit',
    ]);
  });

  test('all run again where the run continues elsewhere, or comes back by a loop', async () => {
    const script = { a: fail, a2: {}, b: {}, b2: {}, c: {}, c2: {} };
    const first = await runPipeline(fan(kOf3), { script });
    const ran: string[] = [];
    await resumePipeline(
      first.directory,
      custom(({ node }) => {
        ran.push(node.id);
        return { status: 'success' };
      }),
      { from: 'fan', script: emptyScript },
    );
    expect(ran).toEqual(['a', 'a2', 'b', 'b2', 'c', 'c2', 'join']);
  });

  test('run again as a whole where none of them failed and none was stopped', async () => {
    const skip = { outcome: 'skipped' };
    const script = { a: {}, a2: skip, b: {}, b2: skip, c: {}, c2: {} };
    const first = await runPipeline(fan('join_policy=k_of_n, join_k=2, max_parallel=1'), { script });
    expect(first.result.status).toBe('fail');
    expect((await again(first.directory)).ran).toEqual(['a', 'a2', 'b', 'b2', 'c', 'c2', 'join']);
  });

  test('are asked about first where what was stopped must not simply run again', async () => {
    const dot = fan('error_policy=fail_fast', 'c2 [idempotent=false]');
    const first = await runPipeline(
      dot,
      custom(async (stage) => {
        if (stage.node.id === 'c2') return endless(stage);
        if (stage.node.id !== 'b2') return { status: 'success' };
        await stage.sleep(1000);
        return { status: 'fail', failure_reason: 'red' };
      }),
    );
    expect(first.result.status).toBe('fail');
    const asked = await again(first.directory);
    expect(asked.result).toMatchObject({ status: 'paused', waiting_node: 'c2' });
    expect(asked.ran).toEqual(['b2']);
    const answered = await again(first.directory, [], { answers: { c2: 'D' } });
    expect(answered.ran).toEqual(['join']);
    expect(resultsIn(answered)[2]).toMatchObject({
      status: 'success',
      notes: 'interrupted; a person decided that it succeeded',
    });
  });
});

describe('66b, 9.4: pipelines inside of branches continue too', () => {
  const child = pipeline('node [type=custom]; first; second', 'start -> first -> second -> exit');
  const dot = pipeline(
    'fan [shape=component, error_policy=fail_fast]; join [prompt=Join]',
    'one [type=pipeline, child="child.dot"]; two [type=pipeline, child="child.dot"]; wait [type=custom]',
    'start -> fan; fan -> one -> join; fan -> two -> join; fan -> wait -> join; join -> exit',
  );

  testEach(
    [
      {
        name: 'one that failed, and one that was stopped with its branch',
        isStopped: true,
        ran: ['second', 'second'],
      },
      { name: 'one that failed, while another had ended', isStopped: false, ran: ['second'] },
    ],
    async ({ isStopped, ran }) => {
      const project = projectOf({ 'child.dot': child });
      const seconds: string[] = [];
      const first = await runOnDisk(dot, {
        workingDirectory: project,
        sourcePath: path.join(project, 'main.dot'),
        ...custom(async (stage) => {
          if (stage.node.id === 'wait' || stage.node.id === 'first') return { status: 'success' };
          seconds.push(stage.runId);
          if (seconds.length === 1) return isStopped ? endless(stage) : { status: 'success' };
          await stage.sleep(1000);
          return { status: 'fail', failure_reason: 'red' };
        }),
      });
      expect(first.result).toMatchObject({ status: 'fail', failed_node: 'fan' });
      const second = await again(first.directory);
      expect(second.result.status).toBe('success');
      expect(second.ran).toEqual(ran);
    },
  );
});

describe('66b, 53: where a fan-in had nothing to choose from', () => {
  const fanIn = (attributes: string, ...more: readonly string[]) =>
    fan(attributes, ...more).replace('; join\n', '; join [shape=tripleoctagon, type="parallel.fan_in"]\n');
  const allFail = { a: fail, b: {}, b2: fail, c: fail };

  testEach(
    [
      {
        name: 'the branches continue that it waits for',
        attributes: 'join_policy=wait_all',
        ran: ['a', 'b2', 'c', 'a2', 'c2'],
      },
      {
        name: 'so they do where their failures are ignored',
        attributes: 'error_policy=ignore',
        ran: ['a', 'b2', 'c', 'a2', 'c2'],
      },
      {
        name: 'and where the parallel node continues after a failure',
        attributes: 'join_policy=first_success, on_failure=continue',
        ran: ['a', 'b2', 'c', 'a2'],
      },
    ],
    async ({ attributes, ran }) => {
      const first = await runPipeline(fanIn(attributes), { script: allFail });
      expect(first.result).toMatchObject({ status: 'fail', failed_node: 'join' });
      expect(eventsOf(first.events, 'PipelineFailed')).toMatchObject([{ node_id: 'join', resume_at: 'fan' }]);
      const second = await again(first.directory);
      expect(second.result.status).toBe('success');
      expect(second.ran).toEqual(ran);
    },
  );

  test('but not where it failed by itself', async () => {
    const dot = fan('join_policy=wait_all').replace('; join\n', '; join [shape=tripleoctagon]\n');
    const first = await runPipeline(dot, { script: { a: {}, a2: {}, b: fail, c: {}, c2: {}, join: fail } });
    expect(first.result).toMatchObject({ status: 'fail', failed_node: 'join' });
    expect((await again(first.directory)).ran).toEqual(['join']);
  });

  test('in a branch too', async () => {
    const dot = fan(
      'error_policy=fail_fast, max_parallel=1',
      'in [shape=component, type=parallel]; near [shape=tripleoctagon, type="parallel.fan_in"]',
      'a2 -> in [weight=1]; in -> d -> d2 -> near; in -> e -> near; near -> join',
    );
    const first = await runPipeline(dot, { script: { a: {}, a2: {}, d: {}, d2: fail, e: fail } });
    expect(first.result).toMatchObject({ status: 'fail', failed_node: 'fan' });
    expect((await again(first.directory)).ran).toEqual(['d2', 'e', 'b', 'b2', 'c', 'c2', 'join']);
  });
});

describe('66b: to continue elsewhere', () => {
  const dot = pipeline(
    'fan [shape=component]; in [shape=component]; join [shape=tripleoctagon]',
    'start -> plan -> fan; fan -> a -> in -> c -> near -> join; in -> d -> near; fan -> b -> join -> last -> exit',
    'b -> shared [condition="outcome=fail"]; plan -> shared [condition="outcome=fail"]; shared -> join',
  );

  test.each(['a', 'b', 'in', 'c', 'near'])('"%s" is refused, because only branches run it', async (from) => {
    const { directory } = await runPipeline(dot, { script: { last: fail } });
    const before = fileOf(directory, 'events.jsonl');
    await expect(resumePipeline(directory, {}, { from })).rejects.toThrow(
      `the run cannot continue at "${from}", which runs only in branches of "fan". Name "fan" instead to run all of its branches again`,
    );
    expect(fileOf(directory, 'events.jsonl')).toBe(before);
  });

  test.each(['plan', 'fan', 'join', 'last', 'shared'])(
    '"%s" is not, because the main line runs it too',
    async (from) => {
      const { directory } = await runPipeline(dot, { script: { last: fail } });
      const { events } = await resumePipeline(directory, {}, { from, script: emptyScript });
      expect(eventsOf(events, 'StageStarted')[0]).toMatchObject({ node_id: from });
    },
  );
});
