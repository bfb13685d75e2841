import { RunError } from '../run-directory/run-error.js';
import { runOwner } from '../run-directory/run-requests.js';
import { type ChildRunPlace, childRunsOf } from './child-runs.js';
import type { JournalDigest } from './journal-digest.js';
import { runDigest } from './run-digest.js';
import { type RunSummary, summarizeRun } from './summarize-run.js';
import type { OpenQuestion, StageUnderWay } from './under-way.js';

/** A run that a stage of the run above has started, and what it is doing as long as it has not ended (§9.4). */
export interface ChildOverview extends RunSummary {
  /** The stage of the run above. */
  readonly node_id: string;
  /** Who executes it: the process of the run above, unless somebody has resumed it by itself. */
  readonly pid: number | null;
  readonly stages: readonly StageUnderWay[];
  readonly questions: readonly OpenQuestion[];
  readonly child_runs: readonly ChildOverview[];
}

/** What the children of a run are doing, and theirs. @param digest of the journal of the run */
export function childOverviews(directory: string, digest: JournalDigest): readonly ChildOverview[] {
  const underWay = new Set(digest.stages.map(({ node_id }) => node_id));
  return childRunsOf(directory, digest).map((child) => childOverview(child, underWay.has(child.nodeId)));
}

/** @param isWanted whether its stage is under way; what another one has left behind does not go on */
function childOverview({ nodeId, directory }: ChildRunPlace, isWanted: boolean): ChildOverview {
  const summary = summarizeRun(directory);
  const pid = runOwner(directory)?.pid ?? null;
  const child = { ...summary, node_id: nodeId, pid, stages: [], questions: [], child_runs: [] };
  if (!isWanted || isOver(summary)) return child;
  const digest = digestIfReadable(directory);
  if (digest === undefined) return { ...child, status: 'damaged' };
  const { stages, questions } = digest;
  return { ...child, stages, questions, child_runs: childOverviews(directory, digest) };
}

function isOver({ status }: RunSummary): boolean {
  return status === 'success' || status === 'fail' || status === 'cancelled' || status === 'damaged';
}

/** A child that is damaged is no reason to say nothing of the run above. */
function digestIfReadable(directory: string): JournalDigest | undefined {
  try {
    return runDigest(directory);
  } catch (error) {
    if (error instanceof RunError) return undefined;
    throw error;
  }
}
