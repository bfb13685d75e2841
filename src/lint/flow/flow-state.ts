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

/** Parts of the state of a run before it enters a node on which later routes depend. */
export interface FlowState {
  readonly nodeId: string;
  /** Outcome of the stage before, on which a diamond routes (SEMANTICS 21). */
  readonly arriving: Said;
  /** Keys of the context that something reads. */
  readonly values: ReadonlyMap<string, JsonValue>;
  /** Visited goal gates, those with an outcome in the order of their first one. */
  readonly gates: ReadonlyMap<string, GateState>;
  /** Visits of the nodes for which their number matters. */
  readonly visits: ReadonlyMap<string, number>;
  readonly restarts: number;
  /** Times that a goal gate has sent the run back. */
  readonly redirects: number;
}

/** Name of a state: two states with the same one have the same future. */
export function keyOf({ nodeId, arriving, values, gates, visits, restarts, redirects }: FlowState): string {
  const { status, preferred_label: label = '', suggested_next_ids: suggested } = arriving;
  let key = `${nodeId}\n${status}\n${label}\n${suggested?.join(' ') ?? ''}\n${restarts}\n${redirects}`;
  for (const [gate, state] of gates) key += `\n${gate} ${state}`;
  for (const [name, value] of sorted(values)) key += `\n${name}=${JSON.stringify(value)}`;
  for (const [id, count] of sorted(visits)) key += `\n${id}*${count}`;
  return key;
}

function sorted<Value>(map: ReadonlyMap<string, Value>): Iterable<readonly [string, Value]> {
  return map.size < 2 ? map : [...map].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Copy of a map with another value. */
export function withEntry<Value>(
  map: ReadonlyMap<string, Value>,
  key: string,
  value: Value,
): ReadonlyMap<string, Value> {
  return map.get(key) === value ? map : new Map(map).set(key, value);
}
