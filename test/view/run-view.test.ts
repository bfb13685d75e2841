import { expect, test } from 'vitest';
import { evolve } from '../../src/machine/evolve/evolve.js';
import { initialState, mainCursor, type RunState } from '../../src/machine/state.js';
import { activeParallels, activeStages, openQuestions } from '../../src/view/active-stages.js';
import { apply } from '../../src/view/fold/apply.js';
import { emptyView, type RunView } from '../../src/view/fold/run-view.js';
import { pipeline, programOf, resumePipeline, runPipeline, type Setup, testEach } from '../run/harness.js';

// What is seen from outside must be what the engine itself makes of the same events, at every one of them.

interface Case extends Setup {
  readonly name: string;
  readonly dot: string;
  /** How it continues where it stopped. */
  readonly resumed?: Setup;
}

const fan = (attributes: string, ...statements: readonly string[]) =>
  pipeline(
    `p [shape=component, ${attributes}]`,
    'j [shape=tripleoctagon]',
    'start -> p',
    'p -> a -> j',
    'p -> b -> j',
    'p -> c -> j',
    'j -> exit',
    ...statements,
  );

const cases: readonly Case[] = [
  {
    name: 'retries',
    dot: pipeline('a [max_retries=3]', 'start -> a -> exit'),
    script: { a: [{ outcome: 'fail' }, { outcome: 'retry' }, { outcome: 'success' }] },
  },
  {
    name: 'a failure, and another try',
    dot: pipeline('start -> a -> exit'),
    script: { a: [{ outcome: 'fail', failure_reason: 'red' }] },
    resumed: {},
  },
  {
    name: 'a gate that asks twice, and a loop',
    dot: pipeline(
      'g [shape=hexagon]',
      'start -> g',
      'g -> w [label="[F] Fix"]',
      'w -> g',
      'g -> exit [label="[A] OK"]',
    ),
    answers: { g: ['F', 'A'] },
  },
  {
    name: 'a gate that nobody answers, until somebody does',
    dot: pipeline('g [shape=hexagon]', 'start -> g -> exit'),
    resumed: { autoApprove: true },
  },
  { name: 'branches', dot: fan('max_parallel=2'), script: { b: [{ outcome: 'fail' }] } },
  {
    name: 'branches that are stopped',
    dot: fan('error_policy=fail_fast'),
    script: {
      a: { outcome: 'fail' },
      b: { outcome: 'success', delay: '10s' },
      c: { outcome: 'success', delay: '10s' },
    },
  },
  {
    name: 'branches inside branches',
    dot: pipeline(
      'p [shape=component]',
      'a [shape=component]',
      'j [shape=tripleoctagon]',
      'k [shape=tripleoctagon]',
      'start -> p -> a',
      'p -> b -> j',
      'a -> x -> k',
      'a -> y -> k',
      'k -> j -> exit',
    ),
    script: { x: [{ outcome: 'success', delay: '5s' }] },
  },
  {
    name: 'branches of which one waits for a person',
    dot: fan('join_policy=wait_all', 'b [shape=hexagon]'),
    resumed: { autoApprove: true },
  },
  {
    name: 'a restart',
    dot: pipeline(
      'start -> a -> b',
      'b -> exit [condition="outcome=success"]',
      'b -> a [condition="outcome=fail", loop_restart=true]',
    ),
    script: { b: [{ outcome: 'fail' }, { outcome: 'success' }] },
  },
];

testEach(cases, async ({ name: _name, dot, resumed, ...setup }) => {
  const first = await runPipeline(dot, setup);
  const second = resumed === undefined ? [] : (await resumePipeline(first.directory, resumed)).events;
  const program = programOf(dot);
  const view = emptyView();
  let state = initialState;
  for (const event of [...first.events, ...second]) {
    state = evolve(program, state, event);
    apply(view, event);
    expect({ event: event.description, ...seenFromOutside(view) }).toEqual({
      event: event.description,
      ...seenFromInside(state),
    });
  }
});

function seenFromOutside(view: RunView) {
  const isGoingOn = view.status === 'running' || view.status === 'paused';
  return {
    status: view.status,
    seq: view.seq,
    statuses: new Map(view.statuses),
    last: view.lastSettled,
    restarts: view.restarts,
    pausing: view.pausing,
    paused: view.status === 'paused' ? view.pausedReason : undefined,
    failure: view.failure,
    ...(isGoingOn && {
      stages: new Map(activeStages(view).map(({ branch, node_id: id }) => [branch ?? mainCursor, id])),
      questions: new Map(openQuestions(view).map(({ branch, id }) => [branch ?? mainCursor, id])),
      branches: new Set(
        activeParallels(view).flatMap(({ branches }) =>
          branches.filter(({ state }) => state === 'running').map(({ branch }) => branch),
        ),
      ),
    }),
  };
}

const underWay = new Set(['running', 'interrupted', 'forked', 'suspended', 'waiting']);

function seenFromInside(state: RunState) {
  const isGoingOn = state.status === 'running' || state.status === 'paused';
  const cursors = [...state.cursors.values()];
  const { failure } = state;
  return {
    status: state.status,
    seq: state.seq,
    statuses: new Map(state.statuses),
    last: state.lastCompleted,
    restarts: state.restarts,
    pausing: state.pausing,
    paused: state.pausedReason,
    failure: failure && { reason: failure.reason, node_id: failure.nodeId },
    ...(isGoingOn && {
      stages: new Map(
        cursors.filter(({ phase }) => underWay.has(phase)).map(({ id, nodeId }) => [id, nodeId]),
      ),
      questions: new Map(
        cursors.flatMap(({ id, question }) => (question === undefined ? [] : [[id, question.question.id]])),
      ),
      branches: new Set(cursors.map(({ id }) => id).filter((id) => id !== mainCursor)),
    }),
  };
}

test('an event of a type that is not known changes nothing', () => {
  const view = emptyView();
  const event = { seq: 1, timestamp: '2026-01-31T12:00:00.000Z', run_id: 'r', type: 'SomethingNew' };
  apply(view, event as never);
  expect(view.status).toBe('created');
  expect(view.seq).toBe(1);
});
