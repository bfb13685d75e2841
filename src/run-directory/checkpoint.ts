import type { JsonValue } from '../graph/json.js';
import type { Outcome } from '../machine/outcome.js';
import type { PersistentMap } from '../machine/persistent.js';
import { mainCursor, type RunState, type RunStatus } from '../machine/state.js';
import { JsonList, JsonMembers } from './json-text.js';

/** Version of the file format; raised when a reader of the old one would misunderstand the new one. */
const checkpointVersion = 1;

/**
 * `checkpoint.json`: the state of a run for people and for other tools (§5.3, DESIGN §4). A view: resuming
 * folds the journal instead.
 */
export interface Checkpoint {
  readonly timestamp: string;
  /** Node that was completed last; the exit once the run has succeeded (SEMANTICS 40). */
  readonly current_node: string | null;
  readonly completed_nodes: readonly string[];
  readonly node_retries: Readonly<Record<string, number>>;
  readonly context: Readonly<Record<string, JsonValue>>;
  readonly logs: readonly string[];
  /** Node at which the run is or continues; null if it has ended. */
  readonly next_node: string | null;
  readonly node_outcomes: Readonly<Record<string, Outcome>>;
  /** Number of restarts of the pipeline (SEMANTICS 36, 66). */
  readonly restart: number;
  readonly status: RunStatus;
  /** Last event of the journal that it includes. */
  readonly seq: number;
  readonly graph_hash: string;
  readonly version: number;
}

/** Checkpoint in the form for `jsonText`: without copies of possibly large parts. */
export type CheckpointView = {
  readonly [Key in keyof Checkpoint]: Checkpoint[Key] extends readonly unknown[]
    ? JsonList
    : Checkpoint[Key] extends Readonly<Record<string, unknown>>
      ? JsonMembers
      : Checkpoint[Key];
};

/**
 * Checkpoint of a state.
 * @param now milliseconds since 1970
 */
export function checkpointOf(state: RunState, graphHash: string, now: number): CheckpointView {
  const cursor = state.cursors.get(mainCursor);
  const hasNext = cursor !== undefined && cursor.phase !== 'finished' && cursor.phase !== 'settled';
  return {
    timestamp: new Date(now).toISOString(),
    current_node: state.lastCompleted ?? null,
    completed_nodes: new JsonList(state.completed),
    node_retries: new JsonMembers(sortedEntries(state.retries)),
    context: new JsonMembers(cursor === undefined ? [] : sortedEntries(cursor.context)),
    logs: new JsonList(state.logs),
    next_node: hasNext ? cursor.nodeId : null,
    node_outcomes: new JsonMembers([...state.outcomes]),
    restart: state.restarts,
    status: state.status,
    seq: state.seq,
    graph_hash: graphHash,
    version: checkpointVersion,
  };
}

/** Entries sorted by key, so that two checkpoints can be compared as text. */
export function sortedEntries<Value>(map: PersistentMap<string, Value>): [string, Value][] {
  // `sort` uses code units by default, and is much faster then.
  return [...map.keys()].sort().map((key) => [key, map.get(key) as Value]);
}
