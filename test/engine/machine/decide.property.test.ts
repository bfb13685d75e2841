import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { conditionScope } from '../../../src/engine/machine/context.js';
import { decide } from '../../../src/engine/machine/decide.js';
import { evaluateCondition } from '../../../src/engine/machine/evaluate-condition.js';
import type { RunEvent } from '../../../src/engine/machine/event.js';
import { evolve } from '../../../src/engine/machine/evolve.js';
import { isSuccessful, type Outcome } from '../../../src/engine/machine/outcome.js';
import { initialState, mainCursor, type RunState } from '../../../src/engine/machine/state.js';
import type { Program } from '../../../src/graph/program.js';
import { type Drive, drive, eventsOf, type Outcomes, programOf } from '../harness.js';
import { outcomeSequences, pipelines } from './arbitrary-program.js';

/** Start and exit succeed; the stages take their outcomes from the sequence, each from a place of its own. */
function outcomesOf(sequence: readonly Outcome[]): Outcomes {
  return (nodeId, execution) => {
    if (nodeId === 'start' || nodeId === 'exit') return { status: 'success' };
    return sequence[(execution + Number(nodeId.slice(1))) % sequence.length];
  };
}

interface Step {
  readonly before: RunState;
  readonly decision: ReturnType<typeof decide>;
}

/** Checks a property of random runs. */
function forRuns(
  check: (program: Program, run: Drive, steps: readonly Step[], outcomes: Outcomes) => void,
  parameters: fc.Parameters<[string, readonly Outcome[]]> = { numRuns: 150 },
) {
  fc.assert(
    fc.property(pipelines, outcomeSequences, (dot, sequence) => {
      const program = programOf(dot);
      const outcomes = outcomesOf(sequence);
      const steps: Step[] = [];
      const run = drive(program, outcomes, {
        observe: (before, decision) => void steps.push({ before, decision }),
      });
      check(program, run, steps, outcomes);
    }),
    parameters,
  );
}

function fold(program: Program, events: readonly RunEvent[]): RunState {
  return events.reduce((state, event) => evolve(program, state, event), initialState);
}

/** As a journal keeps it. */
function asJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}

describe('The state machine, for any pipeline and any outcomes', () => {
  test('comes to an end, of one of the known kinds', () => {
    const ends = new Set<string>();
    const check = (_program: Program, { state }: Drive): void => {
      expect(['success', 'fail']).toContain(state.status);
      ends.add(state.failure?.kind ?? state.status);
    };
    forRuns(check);
    // The pipelines are wild enough to meet every kind of end.
    forRuns(check, { numRuns: 500, seed: 1 });
    expect(ends).toEqual(new Set(['success', 'stage', 'routing', 'goal_gate', 'limit']));
  });

  test('is the fold of its events at every step, journaled or live (DESIGN 2)', () => {
    forRuns((program, { events }, steps) => {
      let folded = initialState;
      for (const { before, decision } of steps) {
        expect(before).toEqual(folded);
        for (const event of decision.events) folded = evolve(program, folded, asJson(event));
        expect(decision.state).toEqual(folded);
      }
      expect(fold(program, events)).toEqual(folded);
    });
  });

  test('makes the same events of the same inputs', () => {
    forRuns((program, { events, inputs }) => {
      let state = initialState;
      const again = inputs.flatMap((input) => {
        const decision = decide(program, state, input);
        state = decision.state;
        return decision.events;
      });
      expect(again).toEqual(events);
    });
  });

  test('has something to wait for as long as it runs, and nothing afterwards', () => {
    forRuns((_program, _run, steps) => {
      for (const { decision } of steps) {
        const awaited = decision.effects.filter(({ kind }) => kind !== 'abort');
        expect(awaited.length).toBe(decision.state.status === 'running' ? 1 : 0);
      }
    });
  });

  test('follows edges that are there, from where it is, and whose condition holds (18)', () => {
    forRuns((program, _run, steps) => {
      for (const { before, decision } of steps) {
        let state = before;
        for (const event of decision.events) {
          const cursor = state.cursors.get(mainCursor);
          if (event.type === 'EdgeSelected' && event.edge !== undefined) {
            const edge = program.nodes.get(event.from)?.edges.find(({ index }) => index === event.edge);
            expect(edge).toMatchObject({ from: cursor?.nodeId, to: event.to });
            if (edge?.condition !== undefined && cursor?.routedOutcome !== undefined) {
              const scope = conditionScope(cursor.context, cursor.routedOutcome);
              expect(evaluateCondition(edge.condition, scope)).toBe(true);
            }
          }
          state = evolve(program, state, event);
        }
      }
    });
  });

  test('jumps only to targets that are declared (20, 33)', () => {
    forRuns((program, { events }) => {
      for (const event of eventsOf(events, 'EdgeSelected')) {
        if (event.edge !== undefined) continue;
        const declared =
          event.reason === 'goal_gate'
            ? [...(program.nodes.get(event.gate ?? '')?.jumpTargets ?? []), ...program.goalGateTargets]
            : (program.nodes.get(event.from)?.jumpTargets ?? []);
        expect(declared.map(({ nodeId }) => nodeId)).toContain(event.to);
        expect(event.to).not.toBe(program.exitId);
      }
    });
  });

  test('starts each stage where the way led (3.2)', () => {
    forRuns((program, { events, state }) => {
      let expected = program.startId;
      const path: string[] = [];
      for (const event of events) {
        if (event.type === 'EdgeSelected') expected = event.to;
        if (event.type !== 'StageStarted') continue;
        expect(event.node_id).toBe(expected);
        if (event.attempt === 1) path.push(event.node_id);
      }
      expect(state.path.toArray()).toEqual(path);
      expect(state.completed.toArray()).toEqual(path.filter((id) => id !== program.exitId));
    });
  });

  test('never exceeds attempts, visits and steps (24, 34)', () => {
    forRuns((program, { events, state }) => {
      for (const { node_id, attempt } of eventsOf(events, 'StageStarted')) {
        expect(attempt).toBeLessThanOrEqual(program.nodes.get(node_id)?.retry.maxAttempts ?? 0);
      }
      for (const [id, visits] of state.visits) {
        expect(visits).toBeLessThanOrEqual(program.nodes.get(id)?.maxVisits ?? Number.POSITIVE_INFINITY);
      }
      expect(state.steps).toBeLessThanOrEqual(program.limits.maxSteps);
      expect(state.goalGateRedirects).toBeLessThanOrEqual(program.limits.maxGoalGateRedirects);
    });
  });

  test('ends successfully only with satisfied goal gates (32)', () => {
    forRuns((program, { state }) => {
      if (state.status !== 'success') return;
      for (const gate of program.goalGates) {
        const outcome = state.outcomes.get(gate.id);
        if (outcome === undefined) expect(program.requireGoalGates).toBe(false);
        else expect(isSuccessful(outcome.status)).toBe(true);
      }
    });
  });

  test('never lets a failure flow on as if it were a success (20)', () => {
    forRuns((program, { events }) => {
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

  test('resumed from any prefix of its events, in the middle of a decision too, it comes to the same (66)', () => {
    forRuns((program, { events, state }, _steps, outcomes) => {
      for (let kept = 1; kept < events.length; kept += 1) {
        const prefix = fold(program, events.slice(0, kept));
        if (prefix.status !== 'running') continue;
        const resumed = drive(program, outcomes, { from: prefix }).state;
        expect(resumed.path.toArray()).toEqual(state.path.toArray());
        expect(resumed.status).toBe(state.status);
        expect(resumed.outcomes).toEqual(state.outcomes);
        expect(resumed.cursors.get(mainCursor)?.context).toEqual(state.cursors.get(mainCursor)?.context);
      }
    });
  });
});

test('a decision changes nothing of what it was given', () => {
  forRuns((_program, _run, steps) => {
    for (const { before, decision } of steps) {
      if (decision.events.length > 0) expect(decision.state).not.toBe(before);
      expect(Object.is(before.seq + decision.events.length, decision.state.seq)).toBe(true);
    }
  });
});

test.each<Parameters<typeof decide>[2]['kind']>(['stage_settled', 'timer_fired'])(
  'a late %s changes nothing',
  (kind) => {
    forRuns((program, { state }) => {
      const body =
        kind === 'timer_fired'
          ? ({ kind, cursor: mainCursor, index: 0, attempt: 1 } as const)
          : ({
              kind: 'stage_settled',
              cursor: mainCursor,
              index: 0,
              attempt: 1,
              outcome: { status: 'success' },
            } as const);
      const { events, effects, state: after } = decide(program, state, { ...body, now: 1, random: 0 });
      expect([events, effects]).toEqual([[], []]);
      expect(after).toBe(state);
    });
  },
);
