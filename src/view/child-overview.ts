import { RunError } from '../run-directory/run-error.js';
import { readStageWorkers, runOwner } from '../run-directory/run-requests.js';
import type { ActiveStage, OpenQuestion } from './active-stage.js';
import { activeStages, activeVisits, openQuestions } from './active-stages.js';
import { type ChildRunLocation, childRunsOf } from './child-runs.js';
import type { RunView } from './fold/run-view.js';
import { readView } from './read-view.js';
import { isOver } from './run-status.js';
import { type RunSummary, summarizeRun } from './summarize-run.js';

/** Run that a stage of the run above has started, with its activity as long as it has not ended (§9.4). */
export interface ChildOverview extends RunSummary {
  /** Stage of the run above. */
  readonly node_id: string;
  /** Process that executes it: the one of the parent run, unless it was resumed separately. */
  readonly pid: number | null;
  /** Name of the host on which `pid` means it, in another container or on another machine; null for this one. */
  readonly host: string | null;
  readonly stages: readonly ActiveStage[];
  readonly questions: readonly OpenQuestion[];
  readonly child_runs: readonly ChildOverview[];
}

/** Overviews of the children of a run, and of their children. */
export function childOverviews(directory: string, view: RunView): readonly ChildOverview[] {
  const underWay = new Set(activeVisits(view).map((visit) => visit.nodeId));
  return childRunsOf(directory, view).map((child) => childOverview(child, underWay.has(child.nodeId)));
}

/** @param isWanted true if its stage is under way; a child of another stage does not continue */
function childOverview({ nodeId, directory }: ChildRunLocation, isWanted: boolean): ChildOverview {
  const summary = summarizeRun(directory);
  const owner = runOwner(directory);
  const pid = owner?.pid ?? null;
  const host = owner?.elsewhere?.host ?? null;
  const child = { ...summary, node_id: nodeId, pid, host, stages: [], questions: [], child_runs: [] };
  if (!isWanted || isOver(summary.status) || summary.status === 'damaged') return child;
  const view = viewIfReadable(directory);
  if (view === undefined) return { ...child, status: 'damaged' };
  const child_runs = childOverviews(directory, view);
  const stages = activeStages(view, owner?.cluster && readStageWorkers(directory));
  return { ...child, stages, questions: openQuestions(view), child_runs };
}

/** View of a child; undefined if it is damaged, which must not hide the run above. */
function viewIfReadable(directory: string): RunView | undefined {
  try {
    return readView(directory);
  } catch (error) {
    if (error instanceof RunError) return undefined;
    throw error;
  }
}
