import { expect, test, vi } from 'vitest';
import { evolve } from '../../src/machine/evolve/evolve.js';
import type { Outcome } from '../../src/machine/outcome.js';
import { initialState, mainCursor, type RunState } from '../../src/machine/state.js';
import { activeParallels, activeStages } from '../../src/view/active-stages.js';
import { apply } from '../../src/view/fold/apply.js';
import { emptyView, narrowScope, type RunView } from '../../src/view/fold/run-view.js';
import { resultOf } from '../../src/view/run-result.js';
import { qualityOf, stepsOf } from '../../src/view/run-status.js';
import { shownVisits } from '../../src/view/shown-visits.js';
import { orderlyPipelines, outcomeSequences, pipelines } from '../machine/arbitrary-program.js';
import { drive, failingBranches, type Outcomes, programOf } from '../run/harness.js';
import { fc, runsOf } from '../support/fast-check.js';

// What everybody sees of a run is what the engine itself makes of the same events: for any pipeline, outcomes and schedule.

const numRuns = runsOf({ quick: 15, thorough: 150 });

vi.setConfig({ testTimeout: 120_000 + 5000 * numRuns });

/** At how many events of a run the two are compared. */
const looks = 60;

test.each([
  ['any', pipelines],
  ['orderly', orderlyPipelines],
] as const)('for %s pipelines, the view of a run is its state', (_name, family) => {
  const ends = new Set<string>();
  fc.assert(
    fc.property(family, outcomeSequences, fc.nat(), (dot, sequence, seed) => {
      const program = programOf(dot, [], failingBranches);
      const { events } = drive(program, outcomesOf(sequence), { pick: randomFrom(seed) });
      const every = Math.max(1, Math.floor(events.length / looks));
      const view = emptyView({ ...narrowScope, rows: events.length });
      let state = initialState;
      for (const event of events) {
        state = evolve(program, state, event);
        apply(view, event);
        const isLooked = event.seq % every === 0 || event.seq === events.length;
        if (isLooked) expect(seenFromOutside(view)).toEqual(seenFromInside(state));
      }
      const result = resultOf(state, '/run', 0);
      expect(qualityOf(view)).toBe(result.quality);
      expect(view.failure?.reason).toBe(result.failure_reason);
      expect(stepsOf(view)).toBe(result.steps);
      expect(view.retries).toBe(result.retries);
      ends.add(`${result.status} ${result.quality}`);
    }),
    { numRuns },
  );
  expect(ends.size).toBeGreaterThan(1);
});

function seenFromOutside(view: RunView) {
  const isGoingOn = view.status === 'running';
  const visits = shownVisits(view, true).filter(({ restart }) => restart === view.restarts);
  return {
    status: view.status,
    seq: view.seq,
    restarts: view.restarts,
    last: view.lastSettled,
    steps: stepsOf(view),
    statuses: new Map(view.statuses),
    visits: new Map(view.entered),
    path: visits.map(({ nodeId }) => nodeId),
    failedBranches: new Map(view.failedBranches),
    simulated: new Set(view.simulated),
    failure: view.failure,
    failures: new Map(view.failures),
    stages:
      isGoingOn && new Map(activeStages(view).map(({ branch, node_id: id }) => [branch ?? mainCursor, id])),
    branches:
      isGoingOn &&
      new Set(
        activeParallels(view).flatMap(({ branches }) =>
          branches.filter(({ state }) => state === 'running').map(({ branch }) => branch),
        ),
      ),
  };
}

const underWay = new Set(['running', 'interrupted', 'forked', 'suspended', 'waiting']);

function seenFromInside(state: RunState): ReturnType<typeof seenFromOutside> {
  const isGoingOn = state.status === 'running';
  const cursors = [...state.cursors.values()];
  const { failure } = state;
  return {
    status: state.status,
    seq: state.seq,
    restarts: state.restarts,
    last: state.lastCompleted,
    steps: stepsOf({ completed: state.completed.size, restarts: state.restarts }),
    statuses: new Map(state.statuses),
    visits: new Map(state.visits),
    path: state.path.toArray(),
    failedBranches: new Map(state.failedBranches),
    simulated: new Set([...state.simulated].filter(([, isSimulated]) => isSimulated).map(([id]) => id)),
    failures: new Map(state.failures),
    failure: failure && { reason: failure.reason, node_id: failure.nodeId },
    stages:
      isGoingOn &&
      new Map(cursors.filter(({ phase }) => underWay.has(phase)).map(({ id, nodeId }) => [id, nodeId])),
    branches: isGoingOn && new Set(cursors.map(({ id }) => id).filter((id) => id !== mainCursor)),
  };
}

/** Start and exit succeed; the stages take their outcomes from the sequence, each from a place of its own. */
function outcomesOf(sequence: readonly Outcome[]): Outcomes {
  return (nodeId, execution) => {
    if (nodeId === 'start' || nodeId === 'exit') return { status: 'success' };
    return sequence[(execution + Number(nodeId.slice(1))) % sequence.length];
  };
}

/** A generator of numbers: the same seed gives the same sequence. */
function randomFrom(seed: number): (count: number) => number {
  let state = seed >>> 0;
  return (count) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}
