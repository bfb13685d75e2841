import {
  type EventHeader,
  forked,
  type LoopRestarted,
  type PipelineFailed,
  type PipelinePaused,
  type PipelineResumed,
  type PipelineStarted,
} from '../../machine/event.js';
import { mainCursor } from '../../machine/state.js';
import { workedUntil } from './count-work.js';
import type { RecordedStatus, RunView, WorkedTime } from './run-view.js';
import { cutOff } from './visit-record.js';

export function runStarted(view: RunView, event: PipelineStarted & EventHeader): void {
  turn(view, 'running');
  view.startedAt = event.timestamp;
  view.exitId = event.exit;
  setLimits(view, event);
}

export function runResumed(view: RunView, event: PipelineResumed & EventHeader): void {
  turn(view, 'running');
  if (event.from === forked) view.startedAt = event.timestamp;
  view.worked = workedBefore(view, event);
  view.endedAt = undefined;
  view.failure = undefined;
  view.pausedReason = undefined;
  view.pausedAt = undefined;
  setLimits(view, event);
  // A run that continues elsewhere abandons everything under way.
  if (event.node_id === undefined) return;
  view.usage.ofStages.clear();
  forgetPlaces(view, event.timestamp);
}

export function runPaused(view: RunView, { reason, node_id }: PipelinePaused): void {
  turn(view, 'paused');
  view.pausedReason = reason;
  view.pausedAt = node_id;
}

/** Ends a run. A cancelled one can continue where it was; one that has succeeded cannot. */
export function runEnded(view: RunView, status: 'success' | 'cancelled', timestamp: string): void {
  turn(view, status);
  view.endedAt = timestamp;
  if (status !== 'success') return;
  if (view.exitId === undefined && isAtEnd(view)) view.completed -= 1;
  forgetPlaces(view, timestamp);
}

export function runFailed(view: RunView, event: PipelineFailed & EventHeader): void {
  turn(view, 'fail');
  view.endedAt = event.timestamp;
  view.failure = { reason: event.error, node_id: event.node_id };
  // After a timeout or a failure in a branch, resuming continues with every cursor instead of the failed
  // stage.
  if (event.kind !== 'timeout' && event.branch === undefined) forgetPlaces(view, event.timestamp);
}

/** Restarts the pipeline: only values that distinguish executions continue (SEMANTICS 36). */
export function loopRestarted(view: RunView, event: LoopRestarted & EventHeader): void {
  view.pausing = undefined;
  view.restarts = event.restart;
  view.stageDirectory = event.directory;
  view.completed = 0;
  view.lastSettled = undefined;
  view.statuses.clear();
  view.entered.clear();
  view.failedBranches.clear();
  forgetPlaces(view, event.timestamp);
  view.current.clear();
}

/** A run that was cut off is known to have been worked on until its last event; a fork starts over. */
function workedBefore(
  { worked, lastEventTime }: RunView,
  { from, timestamp }: PipelineResumed & EventHeader,
): WorkedTime {
  const ms = from === forked ? 0 : workedUntil(worked, lastEventTime ?? timestamp);
  return { ms, since: undefined };
}

/** True if control went nowhere from the last stage, so that it most likely is the exit: older journals do not name that. */
function isAtEnd({ nodes, lastSettled = '' }: RunView): boolean {
  return nodes.has(lastSettled) && nodes.get(lastSettled)?.latest.next === undefined;
}

function turn(view: RunView, status: RecordedStatus): void {
  view.status = status;
  view.pausing = undefined;
  view.turns += 1;
}

function setLimits(
  { usage: { limits, ofStages } }: RunView,
  { budget_usd: usd, budget_tokens: tokens, stage_budgets: stageBudgets = {} }: BudgetsOfCall,
): void {
  if (usd !== undefined) limits.set('usd', usd);
  if (tokens !== undefined) limits.set('tokens', tokens);
  for (const [id, budget] of Object.entries(stageBudgets)) {
    // What is used of another budget is known with the next report.
    if (budget.usd !== undefined) ofStages.delete(`usd ${id}`);
    if (budget.tokens !== undefined) ofStages.delete(`tokens ${id}`);
  }
}

type BudgetsOfCall = Pick<PipelineResumed, 'budget_usd' | 'budget_tokens' | 'stage_budgets'>;

/** Forgets the current visits, because none of them continues. */
function forgetPlaces(view: RunView, timestamp: string): void {
  const time = Date.parse(timestamp);
  for (const [branch, visit] of view.current) {
    cutOff(visit, time);
    if (branch !== mainCursor) view.current.delete(branch);
  }
  view.questions.clear();
  view.parallels.clear();
  view.origins.clear();
}
