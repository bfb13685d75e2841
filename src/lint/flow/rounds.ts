import type { Witness } from '../../diagnostic/witness.js';
import { cyclicGroups, shortestCycle } from '../../graph/flow/cycles.js';
import type { Program } from '../../graph/program.js';
import type { Departure } from './departure.js';
import type { Exploration, Visit } from './exploration.js';
import { exactKeyOf, type FlowState, lineOf } from './flow-state.js';
import type { FlowSteps } from './flow-steps.js';
import { witnessOf } from './witness.js';

/** Run that goes round until only `max_steps` ends it. */
export interface FoundRound {
  readonly witness: Witness;
  readonly nodeIds: readonly string[];
}

/** What a search says about rounds among some nodes: one of them, that some may be there, or that there is none. */
export type RoundAnswer = FoundRound | 'perhaps' | 'none';

/**
 * Looks for a round among the states at some nodes.
 * @param through nodes of which one must be on the way, the preferred one first
 */
export function roundAmong(
  program: Program,
  steps: FlowSteps,
  exploration: Exploration,
  within: ReadonlySet<string>,
  through: readonly string[],
): RoundAnswer {
  exploration.finish();
  const members = [...within].flatMap((id) => exploration.at(id));
  const byKey = new Map(members.map((visit) => [visit.key, visit]));
  const next = (key: string): readonly string[] =>
    (byKey.get(key)?.next ?? []).flatMap(({ visit }) => (byKey.has(visit.key) ? [visit.key] : []));
  const groups = cyclicGroups(byKey.keys(), next);
  let isOpen = !exploration.isWhole;
  for (const nodeId of through) {
    const isThere = (key: string): boolean => byKey.get(key)?.state.nodeId === nodeId;
    for (const group of groups) {
      const start = group.find(isThere);
      if (start === undefined) continue;
      const round = shortestCycle(start, new Set(group), next).flatMap((key) => byKey.get(key) ?? []);
      const witness = witnessOfRound(program, steps, round);
      if (witness !== undefined) return { witness, nodeIds: nodeIdsOf(round) };
      isOpen = true;
      break;
    }
  }
  return isOpen ? 'perhaps' : 'none';
}

/** Nodes of a round in the line of control around all of it, the first one again at the end. */
function nodeIdsOf(round: readonly Visit[]): readonly string[] {
  const lines = round.map(({ state }) => lineOf(state.branch));
  const outermost = lines.reduce((one, other) => (other.length < one.length ? other : one));
  const own = round.filter(({ state }, index) => lines[index] === outermost && !state.hasJoined);
  const ids = own.map(({ state }) => state.nodeId);
  // A round that begins in a branch ends there too.
  return lines[0] === outermost ? ids : [...ids, ...ids.slice(0, 1)];
}

/** Most laps after which a run must be where it was. */
const mostLaps = 4;

/** Script of a run that goes round; undefined if the states of the round only look alike. */
function witnessOfRound(program: Program, steps: FlowSteps, round: readonly Visit[]): Witness | undefined {
  const [first] = round;
  if (first === undefined) return undefined;
  const lap = round.slice(1).flatMap((visit, index) => {
    const step = round[index]?.next.find((one) => one.visit === visit);
    return step === undefined ? [] : [step.by];
  });
  const seen = new Set<string>();
  for (let state: FlowState | undefined = first.state, laps = 0; laps < mostLaps; laps += 1) {
    if (state === undefined) return undefined;
    const key = exactKeyOf(state);
    if (seen.has(key))
      return witnessOf(program, first.before, { departures: lap, line: lineOf(first.state.branch) });
    seen.add(key);
    state = afterLap(steps, state, lap);
  }
  return undefined;
}

/** State after the stages of a lap have done the same again; undefined if the run then goes elsewhere. */
function afterLap(steps: FlowSteps, start: FlowState, lap: readonly Departure[]): FlowState | undefined {
  let state: FlowState | undefined = start;
  for (const by of lap) {
    if (state?.nodeId !== by.node.id) return undefined;
    const { departures }: { readonly departures: readonly Departure[] } = steps.from(state);
    state = departures.find(
      ({ part, choice, asked }) => part === by.part && asked === by.asked && isSameChoice(choice, by.choice),
    )?.next;
  }
  return state;
}

function isSameChoice(one: Departure['choice'], other: Departure['choice']): boolean {
  return (
    one === other ||
    (one.status === other.status &&
      one.preferred_label === other.preferred_label &&
      one.suggested_next_ids === other.suggested_next_ids &&
      one.updates.size === 0 &&
      other.updates.size === 0)
  );
}
