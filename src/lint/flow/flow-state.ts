import type { JsonValue } from '../../graph/json.js';
import type { StageStatus } from '../../graph/stage-status.js';

/** Parts of an outcome on which routes depend. */
export interface Said {
  readonly status: StageStatus;
  readonly preferred_label: string | undefined;
  readonly suggested_next_ids: readonly string[] | undefined;
}

/** Latest word of a goal gate; `silent` for one that was visited and skipped its work (SEMANTICS 32). */
export type GateState = 'satisfied' | 'unsatisfied' | 'silent';

export type FlowValues = ReadonlyMap<string, JsonValue>;

/** Branch of a parallel node, whose branches are followed one after the other: none sees what another does. */
export interface FlowBranch {
  readonly parallelId: string;
  readonly index: number;
  /** Number of all branches. */
  readonly count: number;
  /** Ends of the branches before. */
  readonly successes: number;
  readonly failures: number;
  /** Values at the fork, with which every branch begins (SEMANTICS 51). */
  readonly values: FlowValues;
  /** Values that this branch has set, and the branches before, if they are merged (SEMANTICS 107). */
  readonly own: FlowValues;
  readonly set: readonly FlowValues[];
  /** Words of stages of the branches before that are seen after the join (SEMANTICS 104). */
  readonly seen: FlowValues;
  readonly around: FlowBranch | undefined;
  /** True if others of them are still under way and may never end, so that nothing may follow after all of them. */
  readonly isAlone: boolean;
  /** Name within its parallel node, under which a run counts visits, even those of another parallel node (SEMANTICS 106). */
  readonly name: string;
  /** Name of its line of control. */
  readonly line: string;
  /** All of this as a text. */
  readonly text: string;
}

/** Parts of the state of a run before it enters a node on which later routes depend. */
export interface FlowState {
  readonly nodeId: string;
  /** Outcome of the stage before, on which a diamond routes (SEMANTICS 21); of a parallel node whose branches have met, its own. */
  readonly arriving: Said;
  /** True at a parallel node whose branches have met. */
  readonly hasJoined: boolean;
  /** Keys of the context that something reads. */
  readonly values: FlowValues;
  /** Visited goal gates, those with an outcome in the order of their first one. */
  readonly gates: ReadonlyMap<string, GateState>;
  /** Visits of the nodes for which their number matters, by line of control and node. */
  readonly visits: ReadonlyMap<string, number>;
  /** Undefined on the main line. */
  readonly branch: FlowBranch | undefined;
  readonly restarts: number;
  /** Times that a goal gate has sent the run back. */
  readonly redirects: number;
  /** Number of the milestones of a question that the run has passed. */
  readonly passed: number;
}

/**
 * A state with other fields. It names each field: states come in several shapes, and a spread of those takes ten times as long, which
 * was a fifth of the time of all rules on a cyclic pipeline of 1000 nodes.
 */
export function stateWith(
  state: FlowState,
  {
    nodeId = state.nodeId,
    arriving = state.arriving,
    hasJoined = state.hasJoined,
    values = state.values,
    gates = state.gates,
    visits = state.visits,
    redirects = state.redirects,
  }: Partial<Omit<FlowState, 'branch' | 'restarts' | 'passed'>>,
): FlowState {
  const { branch, restarts, passed } = state;
  return { nodeId, arriving, hasJoined, values, gates, visits, branch, restarts, redirects, passed };
}

/** How a run continues or ends: `sent_back` by a goal gate, `restarted` without what was before, or in a way that is not followed. */
export interface Continuation {
  /** Undefined if the run ends. */
  readonly next: FlowState | undefined;
  readonly ending: 'moves' | 'restarted' | 'sent_back' | 'completed' | 'failed' | 'unknown';
}

const noValues: FlowValues = new Map();

/** Name of a state: two states with the same one have the same future. */
export function exactKeyOf(state: FlowState): string {
  const { gates, visits, restarts, redirects } = state;
  let key = coarseKeyOf({ ...state, values: noValues });
  if (state.values.size > 0) key += `\n${textOf(state.values)}`;
  if (restarts + redirects > 0) key += `\nr${restarts} ${redirects}`;
  if (gates.size > 0) key += '\n';
  for (const [id, said] of gates) key += `${id} ${said} `;
  return visits.size === 0 ? key : `${key}\n${textOf(visits)}`;
}

/**
 * Name of all states with the same place, outcome and values, which differ at most in what counts at the end of a run and in
 * limits. Most of what follows them is alike.
 * @param isNear true for a key whose value counts
 */
export function coarseKeyOf(state: FlowState, isNear: (key: string) => boolean = () => true): string {
  const { nodeId, hasJoined, arriving, values, gates, branch, passed } = state;
  const { status, preferred_label: label = '', suggested_next_ids: suggested } = arriving;
  let key = `${nodeId}\n${status}\n${label}\n${suggested?.join(' ') ?? ''}${hasJoined ? '\nmet' : ''}`;
  if (passed > 0) key += `\n#${passed}`;
  for (const [name, value] of values) if (isNear(name)) key += `\n${name}=${JSON.stringify(value)}`;
  for (const said of gates.values()) {
    if (said !== 'unsatisfied') continue;
    key += '\n!';
    break;
  }
  return branch === undefined ? key : key + branch.text;
}

function textOf(map: ReadonlyMap<string, JsonValue>): string {
  const entries = map.size < 2 ? [...map] : [...map].sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join('\n');
}

/** Branch with what tells it from others. */
export function flowBranch(parts: Omit<FlowBranch, 'line' | 'text'>): FlowBranch {
  const { parallelId, index, isAlone, count, successes, failures, values, own, set, seen, around } = parts;
  const place = `\n(${parallelId}#${index}${isAlone ? '!' : ''}/${count} ${successes} ${failures}`;
  const text = [place, ...[values, own, ...(seen.size === 0 ? set : [seen, ...set])].map(textOf)].join('\n');
  const line = `${lineOf(around)}${parallelId}#${index}/`;
  return { ...parts, line, text: around === undefined ? text : text + around.text };
}

/** Copy of a map with another value. */
export function withEntry<Value>(
  map: ReadonlyMap<string, Value>,
  key: string,
  value: Value,
): ReadonlyMap<string, Value> {
  return map.get(key) === value ? map : new Map(map).set(key, value);
}

/** Name of the line of control in which a branch runs; empty for the main line. */
export function lineOf(branch: FlowBranch | undefined): string {
  return branch === undefined ? '' : branch.line;
}

/** Name under which a run counts the visits of a node in a line of control. */
export function visitKey(branch: FlowBranch | undefined, nodeId: string): string {
  let key = nodeId;
  for (let one = branch; one !== undefined; one = one.around) key = `${one.name}/${key}`;
  return key;
}

/** True in a branch, or in one inside of it, whose parallel node may never come to its join. */
export function isAlone(branch: FlowBranch | undefined): boolean {
  for (let one = branch; one !== undefined; one = one.around) if (one.isAlone) return true;
  return false;
}
