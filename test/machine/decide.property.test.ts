import { describe, expect, test, vi } from 'vitest';
import type { Program } from '../../src/graph/program.js';
import { decide } from '../../src/machine/decide.js';
import type { Effect } from '../../src/machine/effect.js';
import type { RunEvent } from '../../src/machine/event.js';
import { evolve, evolveAll } from '../../src/machine/evolve/evolve.js';
import type { InputBody } from '../../src/machine/input.js';
import type { Outcome } from '../../src/machine/outcome.js';
import { type Cursor, initialState, mainCursor, type RunState } from '../../src/machine/state.js';
import {
  type Drive,
  type DriveSetup,
  drive,
  eventsOf,
  failingBranches,
  type Outcomes,
  programOf,
} from '../run/harness.js';
import { fc, runsOf } from '../support/fast-check.js';
import { linePipelines, orderlyPipelines, outcomeSequences, pipelines } from './arbitrary-program.js';
import { expectSound } from './run-invariants.js';

/** How many runs each property is checked with. */
const numRuns = runsOf({ quick: 10, thorough: 60 });

// Each of them runs a program many times over, also where many processes share one core.
vi.setConfig({ testTimeout: 120_000 + 5000 * numRuns });

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

interface Step {
  readonly before: RunState;
  readonly decision: ReturnType<typeof decide>;
  readonly pending: readonly Effect[];
}

/** A random run, and what it takes to have it again, or another way. */
interface Case {
  readonly program: Program;
  readonly run: Drive;
  readonly steps: readonly Step[];
  readonly outcomes: Outcomes;
  readonly seed: number;
  /** Another run of the program, with the same outcomes and another schedule. */
  again(seed: number, setup?: DriveSetup): Drive;
}

/** Most properties are asked of the same pipelines. */
const programs = new Map<string, Program>();

function programFor(dot: string): Program {
  const program = programs.get(dot) ?? programOf(dot, [], failingBranches);
  programs.set(dot, program);
  return program;
}

/** Checks a property of random runs, whose stages end in a random order. */
function forRuns(
  family: fc.Arbitrary<string>,
  check: (run: Case) => void,
  parameters: fc.Parameters<[string, readonly Outcome[], number]> = {},
) {
  fc.assert(
    fc.property(family, outcomeSequences, fc.nat(), (dot, sequence, seed) => {
      const program = programFor(dot);
      const outcomes = outcomesOf(sequence);
      const again: Case['again'] = (other, setup) =>
        drive(program, outcomes, { pick: randomFrom(other), ...setup });
      const steps: Step[] = [];
      const observe: DriveSetup['observe'] = (before, decision, pending) =>
        void steps.push({ before, decision, pending: [...pending] });
      check({ program, run: again(seed, { observe }), steps, outcomes, seed, again });
    }),
    { numRuns, ...parameters },
  );
}

function fold(program: Program, events: readonly RunEvent[]): RunState {
  return evolveAll(program, initialState, events, (_event, error) => {
    throw error;
  });
}

/** As a journal keeps it. */
function asJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}

/** Some numbers from 1 to `count - 1`: all of them where they are few. */
function someBelow(count: number, wanted: number): readonly number[] {
  const stride = Math.max(1, Math.ceil((count - 1) / wanted));
  const numbers: number[] = [];
  for (let number = 1; number < count; number += stride) numbers.push(number);
  return numbers;
}

/** What must be equal however the stages of the branches follow each other. */
function essenceOf(state: RunState) {
  const main = state.cursors.get(mainCursor);
  return {
    status: state.status,
    failure: state.failure,
    path: state.path.toArray().sort(),
    completed: state.completed.toArray().sort(),
    outcomes: new Map(state.outcomes),
    statuses: new Map(state.statuses),
    visits: new Map(state.visits),
    retries: new Map(state.retries),
    executions: new Map(state.executions),
    failedBranches: new Map(state.failedBranches),
    steps: main?.steps,
    restarts: state.restarts,
    cursors: [...state.cursors.keys()],
    context: main && withoutDurations(Object.fromEntries(main.context)),
  };
}

function withoutDurations(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner) => (key === 'duration_ms' ? 0 : inner)));
}

/** A run into a limit stops at once, wherever the others are; and of a node in several branches, who comes first matters. */
function endsInOrder(program: Program, { state }: Drive): boolean {
  if (state.failure?.kind === 'limit') return false;
  return [...program.nodes.values()].every(({ parallel }) => !parallel?.sharedNodes.size);
}

/** A run that somebody resumes may try again what has failed twice for good (SEMANTICS 127). */
function repeatsTerminalFailure(steps: readonly Step[]): boolean {
  return steps.some(({ decision }) =>
    [...decision.state.terminalFailures.values()].some((lines) =>
      [...lines.values()].some(({ count }) => count > 1),
    ),
  );
}

describe('The state machine, for any pipeline, any outcomes and any schedule', () => {
  test('comes to an end, of one of the known kinds', () => {
    const ends = new Set<string>();
    const seen = new Set<string>();
    const check = ({ run: { state, events } }: Case): void => {
      expect(['success', 'fail']).toContain(state.status);
      ends.add(state.failure?.kind ?? state.status);
      for (const event of events) {
        seen.add(event.type);
        if (event.type === 'EdgeSelected') seen.add(`by ${event.reason}`);
        if (event.type === 'ParallelBranchCompleted') seen.add(`branch ${event.status}`);
        if (event.type === 'ParallelCompleted' && event.error !== undefined) seen.add('out of time');
        if ('branch' in event && event.branch?.split('/').length === 3) seen.add('three deep');
      }
    };
    forRuns(pipelines, check);
    // The pipelines are wild enough to meet every kind of end, and whatever may happen on the way.
    forRuns(pipelines, check, { numRuns: runsOf({ quick: 120, thorough: 250 }), seed: 1 });
    expect(ends).toEqual(new Set(['success', 'stage', 'routing', 'goal_gate', 'limit']));
    expect([...seen]).toEqual(
      expect.arrayContaining([
        'StageSkipped',
        'StageRetrying',
        'LoopRestarted',
        'ParallelCompleted',
        'by condition',
        'by preferred_label',
        'by suggested_next_ids',
        'by weight',
        'by failure_to_conditional',
        'by retry_target',
        'by fallback_retry_target',
        'by goal_gate',
        'by join',
        'branch success',
        'branch partial_success',
        'branch fail',
        'branch skipped',
        'out of time',
        'three deep',
      ]),
    );
  });

  test('goes only where it may, as often as it may, and ends everything that it began', () => {
    forRuns(pipelines, ({ program, run }) => void expectSound(program, run.events));
  });

  test('is the fold of its events at every step, journaled or live, pure or in place (DESIGN 2)', () => {
    forRuns(pipelines, ({ program, run, steps, again, seed }) => {
      let folded = initialState;
      for (const { before, decision } of steps) {
        expect(before).toEqual(folded);
        for (const event of decision.events) folded = evolve(program, folded, asJson(event));
        expect(decision.state).toEqual(folded);
      }
      expect(fold(program, run.events)).toEqual(folded);
      const inPlace = again(seed);
      expect(inPlace.events).toEqual(run.events);
      expect(inPlace.state).toEqual(folded);
    });
  });

  test('makes the same events of the same inputs', () => {
    forRuns(pipelines, ({ program, run: { events, inputs } }) => {
      let state = initialState;
      const again = inputs.flatMap((input) => {
        const decision = decide(program, state, input);
        state = decision.state;
        return decision.events;
      });
      expect(again).toEqual(events);
    });
  });

  test('has something to wait for at every place of control as long as it runs, and nothing afterwards', () => {
    forRuns(pipelines, ({ program, steps }) => {
      const isAwaited = ({ phase, nodeId }: Cursor): boolean =>
        phase !== 'forked' || program.nodes.get(nodeId)?.timeout !== undefined;
      for (const { decision, pending } of steps) {
        const awaited = pending.map((effect) => ('cursor' in effect ? effect.cursor : undefined)).sort();
        const { status, cursors } = decision.state;
        const busy = [...cursors.values()].filter(isAwaited).map(({ id }) => id);
        expect(awaited).toEqual(status === 'running' ? busy.sort() : []);
      }
    });
  });

  test('never lets a failure flow on as if it were a success (20)', () => {
    forRuns(pipelines, ({ program, run: { events } }) => {
      for (const [index, event] of events.entries()) {
        if (event.type !== 'StageFailed' || event.will_retry) continue;
        const node = program.nodes.get(event.node_id);
        const next = events.slice(index + 1).find(({ type }) => type !== 'LogAppended');
        if (next?.type !== 'EdgeSelected' || node?.continuesOnFailure) continue;
        expect(['condition', 'retry_target', 'fallback_retry_target', 'failure_to_conditional']).toContain(
          next.reason,
        );
      }
    });
  });

  test('changes nothing of what it was given', () => {
    forRuns(pipelines, ({ steps }) => {
      for (const { before, decision } of steps) {
        if (decision.events.length > 0) expect(decision.state).not.toBe(before);
        expect(before.seq + decision.events.length).toBe(decision.state.seq);
      }
    });
  });

  test('an input that comes twice, or too late, changes nothing', () => {
    forRuns(pipelines, ({ program, run: { inputs }, steps }) => {
      const resultsSoFar: (typeof inputs)[number][] = [];
      for (const [index, input] of inputs.entries()) {
        if (input.kind === 'stage_settled' || input.kind === 'timer_fired' || input.kind === 'fan_out')
          resultsSoFar.push(input);
        const state = steps[index]?.decision.state;
        if (state === undefined) continue;
        // All of them at every tenth step, and the last ones always.
        for (const late of index % 10 === 0 ? resultsSoFar : resultsSoFar.slice(-3)) {
          const decision = decide(program, state, late);
          expect([decision.events, decision.effects]).toEqual([[], []]);
          expect(decision.state).toBe(state);
        }
      }
    });
  });
});

describe('A run that was cut off, for any pipeline, any outcomes and any schedule', () => {
  test('continues from any prefix of its events as it may, and comes to an end (66)', () => {
    forRuns(pipelines, ({ program, run: { events }, seed, again }) => {
      for (const kept of someBelow(events.length, 12)) {
        const prefix = events.slice(0, kept);
        const state = fold(program, prefix);
        if (state.status !== 'running') continue;
        const resumed = again(seed + kept, { from: state });
        expectSound(program, [...prefix, ...resumed.events]);
        expect(['success', 'fail']).toContain(resumed.state.status);
      }
    });
  });

  test('comes to the same, step by step, where nothing runs in parallel (66)', () => {
    forRuns(linePipelines, ({ program, run: { events, state }, again }) => {
      for (let kept = 1; kept < events.length; kept += 1) {
        const prefix = fold(program, events.slice(0, kept));
        if (prefix.status !== 'running') continue;
        const resumed = again(0, { from: prefix }).state;
        expect(resumed.path.toArray()).toEqual(state.path.toArray());
        expect(essenceOf(resumed)).toEqual(essenceOf(state));
      }
    });
  });

  test('comes to the same from any prefix of its events, in the middle of a decision too (66)', () => {
    let branches = 0;
    forRuns(orderlyPipelines, ({ program, run, seed, again }) => {
      fc.pre(endsInOrder(program, run));
      const expected = essenceOf(run.state);
      branches += eventsOf(run.events, 'ParallelBranchStarted').length;
      expect(essenceOf(again(seed + 1).state)).toEqual(expected);
      for (const kept of someBelow(run.events.length, 25)) {
        const prefix = fold(program, run.events.slice(0, kept));
        if (prefix.status !== 'running') continue;
        expect(essenceOf(again(seed + kept, { from: prefix }).state)).toEqual(expected);
      }
    });
    expect(branches).toBeGreaterThan(0);
  });

  test.each<{ readonly name: string; readonly body: InputBody }>([
    { name: 'paused at once', body: { kind: 'pause', reason: 'test', mode: 'now' } },
    { name: 'paused after its stages', body: { kind: 'pause', reason: 'test', mode: 'after_stage' } },
    { name: 'cancelled', body: { kind: 'cancel' } },
  ])('$name at any input, continues to the same end (66, 76)', ({ body }) => {
    forRuns(orderlyPipelines, ({ program, run, steps, seed, again }) => {
      fc.pre(endsInOrder(program, run) && !repeatsTerminalFailure(steps));
      const expected = essenceOf(run.state);
      for (const at of someBelow(run.inputs.length, 12)) {
        const stopped = again(seed, { ask: (input) => (input === at ? body : undefined) });
        const resumed = again(seed + at, { from: stopped.state });
        expect(['paused', 'cancelled', run.state.status]).toContain(stopped.state.status);
        if (stopped.state.status === run.state.status) continue;
        expectSound(program, [...stopped.events, ...resumed.events]);
        expect(essenceOf(resumed.state)).toEqual(expected);
      }
    });
  });
});

describe('A run that has failed, for any pipeline, any outcomes and any schedule', () => {
  /** The branches of a fork of the main line that were started, or that ended so, between two events. */
  const startedIn = (events: readonly RunEvent[]) =>
    eventsOf(events, 'ParallelBranchStarted').filter(({ parent }) => parent === undefined);
  const finishedIn = (events: readonly RunEvent[]) =>
    eventsOf(events, 'ParallelBranchCompleted').filter(
      ({ parent, success }) => parent === undefined && success,
    );

  test('continues as it may, and starts no branch again that had succeeded (66b)', () => {
    let kept = 0;
    const check = ({ program, run: { events, state }, seed, again }: Case): void => {
      if (state.status !== 'fail') return;
      const resumed = again(seed + 1, { from: state });
      const all = [...events, ...resumed.events];
      expect(expectSound(program, all)).toEqual(resumed.state);
      const [fork] = eventsOf(resumed.events, 'ParallelStarted').filter(({ branch }) => branch === undefined);
      if (fork?.kept === undefined) return;
      kept += fork.kept;
      const before = events.slice(
        events.findLastIndex(({ type, ...event }) => type === 'ParallelStarted' && !('branch' in event)),
      );
      const after = resumed.events.slice(resumed.events.indexOf(fork));
      const end = after.findIndex(
        ({ type, ...event }) => type === 'ParallelCompleted' && !('branch' in event),
      );
      const began = startedIn(after.slice(0, end + 1)).map(({ branch }) => branch);
      for (const { branch } of finishedIn(before)) expect(began).not.toContain(branch);
    };
    forRuns(pipelines, check);
    forRuns(pipelines, check, { numRuns: runsOf({ quick: 30, thorough: 150 }), seed: 5 });
    expect(kept).toBeGreaterThan(0);
  });

  test('comes to the same from any prefix of what it did after it was resumed (66)', () => {
    forRuns(orderlyPipelines, ({ program, run, seed, again }) => {
      fc.pre(run.state.status === 'fail' && endsInOrder(program, run));
      const resumed = again(seed, { from: run.state });
      fc.pre(endsInOrder(program, resumed));
      for (const cut of someBelow(resumed.events.length, 15)) {
        const prefix = fold(program, [...run.events, ...resumed.events.slice(0, cut)]);
        if (prefix.status !== 'running') continue;
        expect(essenceOf(again(seed + cut, { from: prefix }).state)).toEqual(essenceOf(resumed.state));
      }
    });
  });
});
