import { isRoutineKey } from '../../graph/values/handler-keys.js';
import type {
  EventHeader,
  ParallelBranchCompleted,
  ParallelBranchStarted,
  ParallelItems,
  ParallelStarted,
  StageCompleted,
  StageFailed,
  StageSkipped,
} from '../../machine/event.js';
import { mainCursor } from '../../machine/state.js';
import { type BranchRow, oneLine, textOf } from './branch-table.js';
import type { RunView } from './run-view.js';
import type { VisitRecord } from './visit-record.js';

/** Records items before the event that has the last of them. */
export function noteItems(view: RunView, event: ParallelItems & EventHeader): void {
  if (!view.scope.branches) return;
  const key = keyOf(event.node_id, event.branch);
  const before = event.offset === 0 ? [] : (view.itemsSoFar.get(key) ?? []);
  view.itemsSoFar.set(key, [...before, ...event.items]);
}

/**
 * Begins the table of a visit. An attempt, or a visit after a failed run, that uses the items of before has
 * none in its event; branches that had ended stay as they were.
 */
export function beginTable(view: RunView, event: ParallelStarted & EventHeader): void {
  if (!view.scope.branches) return;
  const { node_id, branch, branch_count: count, items, kept } = event;
  const visit = view.current.get(branch ?? mainCursor);
  if (visit === undefined) return;
  const key = keyOf(node_id, branch);
  const before = view.tables.get(key);
  const earlier = view.itemsSoFar.get(key) ?? [];
  view.itemsSoFar.delete(key);
  visit.branches = {
    count,
    items: items === undefined ? before?.items : earlier.length === 0 ? items : [...earlier, ...items],
    rows: kept === undefined ? [] : (before?.rows.map((row) => row && { ...row }) ?? []),
  };
  view.tables.set(key, visit.branches);
}

export function beginRow(view: RunView, event: ParallelBranchStarted & EventHeader): void {
  const { branch, index, parent = mainCursor, timestamp } = event;
  const rows = view.current.get(parent)?.branches?.rows;
  if (rows === undefined) return;
  rows[index] = {
    branch,
    index,
    state: 'running',
    startedAt: Date.parse(timestamp),
    durationMs: undefined,
    result: '',
    at: undefined,
  };
}

/** Records what a stage of a branch came to. */
export function noteResult(
  view: RunView,
  { branch, outcome }: StageCompleted | StageFailed | StageSkipped,
  { nodeId, visit }: VisitRecord,
): void {
  const row = rowOf(view, branch);
  if (row === undefined) return;
  row.at = { nodeId, visit };
  row.result = outcome.status === 'fail' ? oneLine(outcome.failure_reason ?? '') : resultOf(outcome);
}

export function endRow(view: RunView, event: ParallelBranchCompleted): void {
  const row = view.current.get(event.parent ?? mainCursor)?.branches?.rows[event.index];
  if (row === undefined) return;
  row.state = event.status;
  row.durationMs = event.duration;
  if (event.error !== undefined) row.result = oneLine(event.error);
}

function rowOf(view: RunView, branch: string | undefined): BranchRow | undefined {
  if (branch === undefined) return undefined;
  const origin = view.origins.get(branch)?.branch;
  return origin && view.current.get(origin.parent)?.branches?.rows[origin.index];
}

/** Values that a stage gave, in a line; its notes if it gave none. */
function resultOf({ context_updates, assigned, notes = '' }: StageCompleted['outcome']): string {
  const values = Object.entries({ ...context_updates, ...assigned }).filter(([key]) => !isRoutineKey(key));
  if (values.length === 0) return oneLine(notes);
  return oneLine(values.map(([key, value]) => `${key}: ${textOf(value)}`).join(' · '));
}

function keyOf(nodeId: string, branch: string | undefined): string {
  return JSON.stringify([nodeId, branch]);
}
