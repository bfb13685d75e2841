import type {
  EventHeader,
  ParallelBranchCompleted,
  ParallelBranchStarted,
  ParallelCompleted,
  ParallelStarted,
} from '../../machine/event.js';
import { mainCursor } from '../../machine/state.js';
import { beginRow, beginTable, endRow } from './apply-branches.js';
import { changeState } from './current-visit.js';
import type { RunView } from './run-view.js';
import { cutOff } from './visit-record.js';

export function parallelStarted(view: RunView, event: ParallelStarted & EventHeader): void {
  const { node_id, branch = null, kept = 0 } = event;
  // Branches that ended before the run was resumed are no longer under way.
  const branch_count = event.branch_count - kept;
  view.parallels.set(branch ?? mainCursor, { node_id, branch, branch_count, branches: new Map() });
  beginTable(view, event);
  changeState(view, event, 'branches');
}

export function branchStarted(view: RunView, event: ParallelBranchStarted & EventHeader): void {
  const { branch, parent = mainCursor, node_id: nodeId, index, timestamp: since } = event;
  view.origins.set(branch, { branch: { parent, parallelId: nodeId, index, startedAt: Date.parse(since) } });
  beginRow(view, event);
  const runningBranch = { branch, state: 'running', since, duration_ms: null, error: null } as const;
  view.parallels.get(parent)?.branches.set(branch, runningBranch);
  if (event.resumed) return;
  const key = JSON.stringify([nodeId, index]);
  view.branchStarts.set(key, { nodeId, index, count: (view.branchStarts.get(key)?.count ?? 0) + 1 });
}

export function branchCompleted(view: RunView, event: ParallelBranchCompleted & EventHeader): void {
  const { branch, parent = mainCursor, status: state, duration: duration_ms, error = null } = event;
  const hasFailed = state === 'fail';
  if (hasFailed || view.failedBranches.has(branch)) view.failedBranches.set(branch, hasFailed);
  const branches = view.parallels.get(parent)?.branches;
  const since = branches?.get(branch)?.since ?? event.timestamp;
  branches?.set(branch, { branch, state, since, duration_ms, error });
  endRow(view, event);
  leave(view, branch, Date.parse(event.timestamp));
}

/** Branches that still run are stopped now, and end before the parallel node settles. */
export function parallelCompleted(view: RunView, event: ParallelCompleted & EventHeader): void {
  changeState(view, event, 'running');
}

/** Ends the visit of a branch that was stopped because it no longer mattered: its stages never settle. */
function leave(view: RunView, branch: string, time: number): void {
  const visit = view.current.get(branch);
  if (visit !== undefined) cutOff(visit, time);
  view.current.delete(branch);
  view.questions.delete(branch);
  view.origins.delete(branch);
  for (const inner of view.parallels.get(branch)?.branches.keys() ?? []) leave(view, inner, time);
  view.parallels.delete(branch);
}
