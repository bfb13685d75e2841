import { hasUsableResult } from '../../../src/check/stage-ways.js';
import type { JsonValue } from '../../../src/graph/json.js';
import type { Program, ProgramNode } from '../../../src/graph/program.js';
import { decide } from '../../../src/machine/decide.js';
import type { RunEvent } from '../../../src/machine/event.js';
import type { InputBody } from '../../../src/machine/input.js';
import type { Outcome } from '../../../src/machine/outcome.js';
import { type Cursor, initialState } from '../../../src/machine/state.js';

/*
 * Runs of the machine itself in which stages, lists and the order of branches do the worst that they can think of: each attempt ends in
 * any way, a list has up to `mostItems` items, and no run knows of a bound.
 */

export interface AdversarialRun {
  /** Visits, without those of start and exit. */
  readonly stages: number;
  /** Attempts of LLM stages. */
  readonly attempts: number;
  readonly isOver: boolean;
}

export interface Chance {
  /** A whole number from 0, below `limit`. */
  below(limit: number): number;
}

const mostInputs = 4000;

export function adversarialRun(program: Program, chance: Chance, mostItems: number): AdversarialRun {
  let state = initialState;
  let now = 0;
  let stages = 0;
  let attempts = 0;
  const put = (body: InputBody): void => {
    now += 1;
    const after = decide(program, state, { ...body, now, random: 0 });
    state = after.state;
    for (const event of after.events) {
      if (isVisit(program, event)) stages += 1;
      if (isAttempt(program, event)) attempts += 1;
    }
  };
  // Each run has a habit: without one, hardly any comes round a loop often.
  const habit = habits[chance.below(habits.length)] ?? habits[0];
  put({ kind: 'start', runId: 'adversary', graphHash: '', inputs: {} });
  for (let inputs = 0; inputs < mostInputs && state.status === 'running'; inputs += 1) {
    const movable = [...state.cursors.values()].filter(
      ({ phase }) => phase === 'running' || phase === 'waiting',
    );
    const cursor = movable[chance.below(movable.length)];
    if (cursor === undefined) break;
    if (cursor.phase === 'waiting') now = Math.max(now, cursor.waitUntil);
    put(inputFor(program, cursor, chance, mostItems, habit ?? []));
  }
  return { stages, attempts, isOver: state.status !== 'running' };
}

type Status = Outcome['status'];

const habits: readonly (readonly Status[])[] = [
  ['success', 'fail', 'retry', 'partial_success', 'skipped'],
  ['success', 'success', 'success', 'fail'],
  ['fail', 'fail', 'fail', 'success', 'retry'],
  ['success', 'partial_success'],
];

function inputFor(
  program: Program,
  cursor: Cursor,
  chance: Chance,
  mostItems: number,
  habit: readonly Status[],
): InputBody {
  const { id, index, attempt, nodeId, phase, execution } = cursor;
  const place = { cursor: id, index, attempt };
  if (phase === 'waiting') return { kind: 'timer_fired', ...place };
  const node = program.nodes.get(nodeId);
  if (node?.parallel !== undefined) {
    const count = chance.below(3) === 0 ? chance.below(mostItems + 1) : mostItems;
    const items = [Array.from({ length: count }, (_, item): JsonValue => item)];
    return { kind: 'fan_out', ...place, items: node.parallel.foreach && items };
  }
  const outcome = ofItself(node, cursor) ?? outcomeOf(node, execution, chance, habit);
  return { kind: 'stage_settled', ...place, outcome, simulated: true };
}

/** A diamond always succeeds, and a fan-in has results or fails. */
function ofItself(node: ProgramNode | undefined, cursor: Cursor): Outcome | undefined {
  if (node?.handler.neverFails === true) return { status: 'success' };
  if (node?.handler.joins !== true || hasUsableResult(cursor)) return undefined;
  return { status: 'fail', failure_reason: 'no results', retryable: false };
}

function outcomeOf(
  node: ProgramNode | undefined,
  execution: number,
  chance: Chance,
  habit: readonly Status[],
): Outcome {
  const status = habit[chance.below(habit.length)] ?? 'success';
  const label = node?.edges[chance.below(node.edges.length + 1)]?.label;
  const updates: Readonly<Record<string, JsonValue>> =
    chance.below(2) === 0 ? { k: chance.below(2) === 0 ? 'red' : 'blue' } : {};
  const usual: Outcome = { status, context_updates: updates };
  const outcome = label ? { ...usual, preferred_label: label } : usual;
  if (status !== 'fail') return outcome;
  // Now and then the same reason twice, which ends a way back.
  const failure_reason = chance.below(6) === 0 ? 'again' : `failure ${execution}`;
  return { ...outcome, failure_reason, retryable: chance.below(2) === 0 };
}

function isVisit({ startId, exitId }: Program, event: RunEvent): boolean {
  if (event.type !== 'StageStarted' || event.attempt !== 1) return false;
  return event.node_id !== startId && event.node_id !== exitId;
}

function isAttempt({ nodes }: Program, event: RunEvent): boolean {
  return event.type === 'StageStarted' && nodes.get(event.node_id)?.handler.llm === true;
}
