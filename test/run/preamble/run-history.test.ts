import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../src/graph/json.js';
import type { EventBody, RunEvent } from '../../../src/machine/event.js';
import type { Outcome } from '../../../src/machine/outcome.js';
import { persistentMap } from '../../../src/machine/persistent.js';
import { arrivingCursor, initialState, mainCursor, type RunState } from '../../../src/machine/state.js';
import { type PreambleMaterial, preambleMaterial } from '../../../src/run/preamble/preamble-material.js';
import { RunHistory } from '../../../src/run/preamble/run-history.js';
import { pipeline, programOf } from '../harness.js';

const program = programOf(
  pipeline(
    'goal="Win"',
    'a [label="First"]',
    'b',
    'c',
    'route [shape=diamond]',
    'start -> a -> route -> b -> c -> exit',
    'route -> c [condition="outcome=fail"]',
  ),
);

const fields = (nodeId: string, branch: string | undefined) => ({
  node_id: nodeId,
  name: program.nodes.get(nodeId)?.label ?? nodeId,
  index: 0,
  attempt: 1,
  visit: 1,
  duration: 0,
  ...(branch !== undefined && { branch }),
});

interface Where {
  readonly branch?: string;
  readonly visit?: number;
  readonly attempt?: number;
}

function settled(nodeId: string, outcome: Partial<Outcome> = {}, where: Where = {}): EventBody {
  const status = outcome.status ?? 'success';
  const base = { ...fields(nodeId, where.branch), ...where, outcome: { ...outcome, status } };
  return status === 'fail'
    ? { type: 'StageFailed', ...base, error: 'it failed', will_retry: false }
    : { type: 'StageCompleted', ...base };
}

const retried = (nodeId: string, reason: string, where: Where = {}): EventBody => ({
  type: 'StageFailed',
  ...fields(nodeId, where.branch),
  ...where,
  outcome: { status: 'retry', failure_reason: reason },
  error: reason,
  will_retry: true,
});

const branchStarted = (branch: string, index: number, parent?: string): EventBody => ({
  type: 'ParallelBranchStarted',
  branch,
  index,
  node_id: 'fan',
  ...(parent !== undefined && { parent }),
});

const joined = (branch?: string): EventBody => ({
  type: 'ParallelCompleted',
  ...fields('fan', branch),
  success_count: 2,
  failure_count: 0,
});

function historyOf(bodies: Iterable<EventBody>): RunHistory {
  const history = new RunHistory(program);
  let seq = 0;
  for (const body of bodies) {
    seq += 1;
    const event = { seq, timestamp: '', run_id: 'run', description: '', ...body } as RunEvent;
    history.add(event);
  }
  return history;
}

/** What a stage `c` on this line is told. */
function told(
  history: RunHistory,
  branch = mainCursor,
  context: Readonly<Record<string, JsonValue>> = {},
): PreambleMaterial {
  let values = persistentMap<string, JsonValue>();
  for (const [key, value] of Object.entries(context)) values = values.set(key, value);
  const cursor = arrivingCursor(branch, 'c', values);
  const state: RunState = {
    ...initialState,
    runId: 'run',
    inputs: { n: 1 },
    cursors: new Map([[branch, cursor]]),
  };
  return preambleMaterial(program, state, history, { cursor: branch, nodeId: 'c', visit: 1, attempt: 1 });
}

const summary = ({ past }: PreambleMaterial): readonly string[] =>
  past.map((entry) => (entry.kind === 'jump' ? `jump ${entry.to}` : `${entry.kind} ${entry.id}`));

describe('the past of a run', () => {
  test('has its stages, the latest first, without those that do nothing', () => {
    const history = historyOf(['start', 'a', 'route', 'b'].map((id) => settled(id)));
    expect(summary(told(history))).toEqual(['stage b', 'stage a']);
    expect(told(history).counts).toEqual({ stages: 2, failures: 0, retries: 0 });
  });

  test('has the words of a stage, but not those that every stage has', () => {
    const history = historyOf([
      settled('a', {
        notes: 'Stage completed: a',
        context_updates: { last_stage: 'a', last_response: 'A plan' },
      }),
      settled(
        'b',
        { status: 'fail', failure_reason: 'red', context_updates: { 'tool.output': '3 failed' } },
        { attempt: 3, visit: 2 },
      ),
    ]);
    expect(told(history).past).toEqual([
      {
        kind: 'stage',
        id: 'b',
        label: 'b',
        visit: 2,
        status: 'fail',
        retries: 2,
        notes: 'red',
        response: '',
        output: '3 failed',
      },
      {
        kind: 'stage',
        id: 'a',
        label: 'First',
        visit: 1,
        status: 'success',
        retries: 0,
        notes: '',
        response: 'A plan',
        output: '',
      },
    ]);
  });

  test('has what went differently: attempts, jumps, answers, interruptions, failures of the run', () => {
    const history = historyOf([
      retried('a', 'rate limit'),
      settled('a', { status: 'fail' }),
      { type: 'EdgeSelected', from: 'a', to: 'b', reason: 'retry_target' },
      { type: 'EdgeSelected', from: 'b', to: 'c', reason: 'weight', edge: 1 },
      {
        type: 'InterviewCompleted',
        question: 'Ship?',
        question_id: 'q',
        stage: 'gate',
        answer: { value: 'Y', selected_option: { key: 'Y', label: 'Yes' } },
        duration: 1,
      },
      { type: 'StageStarted', ...fields('b', undefined), resumed: true },
      { type: 'PipelineFailed', error: 'no route', duration: 1, kind: 'routing', node_id: 'b' },
    ]);
    expect(told(history).past).toMatchObject([
      { kind: 'run_failure', id: 'b', reason: 'no route' },
      { kind: 'interruption', id: 'b' },
      { kind: 'decision', id: 'gate', question: 'Ship?', answer: 'Yes', timedOut: false },
      { kind: 'jump', from: 'a', to: 'b', gate: undefined },
      { kind: 'stage', id: 'a', status: 'fail' },
      { kind: 'failed_attempt', id: 'a', attempt: 1, reason: 'rate limit' },
    ]);
    expect(told(history).counts).toEqual({ stages: 1, failures: 1, retries: 1 });
  });

  test('36: begins again with the pipeline', () => {
    const history = historyOf([
      settled('a'),
      { type: 'LoopRestarted', node_id: 'b', restart: 1, directory: 'restart-1' },
      settled('b'),
    ]);
    expect(summary(told(history))).toEqual(['stage b']);
  });
});

describe('5.1: the context that a stage is told of', () => {
  test('is what stages and inputs wrote, the latest first, with the values of the moment', () => {
    const history = historyOf([
      settled('a', { context_updates: { plan: 'old', 'tool.exit_code': 0, 'internal.x': 1 } }),
      settled('b', { context_updates: { verdict: 'good', last_stage: 'b', 'human.gate.label': 'Yes' } }),
      retried('c', 'no'),
    ]);
    const context = {
      plan: 'new',
      verdict: 'good',
      n: 1,
      outcome: 'success',
      'graph.goal': 'Win',
      'internal.x': 1,
      'tool.exit_code': 0,
      'human.gate.label': 'Yes',
      last_stage: 'b',
    };
    expect(told(history, mainCursor, context).context).toEqual([
      { key: 'verdict', value: 'good' },
      { key: 'plan', value: 'new' },
      { key: 'n', value: 1 },
    ]);
  });

  test('may have any key', () => {
    const updates = JSON.parse('{"__proto__": "x", "constructor": "y"}');
    const history = historyOf([settled('a', { context_updates: updates })]);
    const { context } = told(history, mainCursor, updates);
    expect(context.map(({ key }) => key)).toEqual(['__proto__', 'constructor']);
  });
});

describe('4.8: branches', () => {
  const forked = [
    settled('a'),
    branchStarted('x', 0),
    branchStarted('y', 1),
    settled('b', {}, { branch: 'x' }),
    settled('c', {}, { branch: 'y' }),
    branchStarted('x/inner', 0, 'x'),
    settled('deep', {}, { branch: 'x/inner' }),
  ];

  test.each([
    ['x', ['stage b', 'stage a']],
    ['y', ['stage c', 'stage a']],
    ['x/inner', ['stage deep', 'stage b', 'stage a']],
    [mainCursor, ['stage a']],
  ])('a stage in "%s" is not told of branches next to it', (branch, past) => {
    expect(summary(told(historyOf(forked), branch))).toEqual(past);
  });

  test('after the join all is told, in the order of the branches', () => {
    const history = historyOf([
      ...forked,
      joined('x'),
      settled('late', {}, { branch: 'x' }),
      joined(),
      settled('fan'),
    ]);
    const material = told(history);
    expect(summary(material)).toEqual([
      'stage fan',
      'stage c',
      'stage late',
      'stage deep',
      'stage b',
      'stage a',
    ]);
    expect(material.counts.stages).toBe(6);
  });
});

describe('a long past', () => {
  function* rounds(count: number): Iterable<EventBody> {
    yield settled('plan', { context_updates: { plan: 'five steps' } });
    for (let visit = 1; visit <= count; visit += 1) {
      yield retried('a', 'again', { visit });
      yield settled('a', {}, { visit });
      yield settled('b', {}, { visit });
    }
  }

  test('takes a bounded place, and forgets no stage and no key that counts', () => {
    const history = historyOf(rounds(5000));
    const material = told(history, mainCursor, { plan: 'five steps' });
    expect(material.past.length).toBeLessThanOrEqual(512);
    expect(summary(material)).toContain('stage plan');
    expect(material.context).toEqual([{ key: 'plan', value: 'five steps' }]);
    expect(material.counts).toEqual({ stages: 10_001, failures: 0, retries: 5000 });
  });

  test('keeps no large values', () => {
    const output = `${'x'.repeat(60_000)}😀 the end`;
    const history = historyOf([
      settled('a', { notes: output, context_updates: { 'tool.output': output, list: [output] } }),
    ]);
    const material = told(history, mainCursor, { list: [output] });
    expect(JSON.stringify(material.past).length).toBeLessThan(5000);
    expect(material.past[0]).toMatchObject({ output: expect.stringMatching(/😀 the end$/) });
    expect(material.context).toEqual([{ key: 'list', value: [output] }]);
  });
});
