import path from 'node:path';
import type { CallEnvironment } from '../../setup/extensions.js';
import { findRun, runIds, runsHome } from '../../setup/find-run.js';
import { childRunsOf } from '../../view/child-runs.js';
import { readView } from '../../view/read-view.js';
import { isOver } from '../../view/run-status.js';
import { type RunSummary, summarizeRun } from '../../view/summarize-run.js';

/** Runs that a call is about. */
export interface RunFilter {
  readonly active?: true;
  readonly status?: string;
  /** Name of the graph. */
  readonly name?: string;
  /** Run whose child runs are meant. */
  readonly parent?: string;
  /** Milliseconds since the run began. */
  readonly olderThan?: number;
}

/**
 * The runs that are meant, the newest first.
 * @throws UsageError, RunError `run_not_found`
 */
export function selectedRuns(filter: RunFilter, io: CallEnvironment): readonly RunSummary[] {
  return thoseOf(directoriesOf(filter, io).map(summarizeRun), filter);
}

/** The runs that fit a filter, apart from its parent, the newest first. */
export function thoseOf<Run extends RunSummary>(runs: readonly Run[], filter: RunFilter): readonly Run[] {
  const { active, status, name, olderThan } = filter;
  const began = Date.now() - (olderThan ?? 0);
  return runs
    .filter((run) => active === undefined || isActive(run.status))
    .filter((run) => status === undefined || run.status === status)
    .filter((run) => name === undefined || run.name === name)
    .filter((run) => olderThan === undefined || Date.parse(run.start_time) < began)
    .sort(newestFirst);
}

function directoriesOf({ parent }: RunFilter, io: CallEnvironment): readonly string[] {
  const home = runsHome(io.cwd());
  if (parent === undefined) return runIds(io.cwd()).map((id) => path.join(home, id));
  return childDirectories(findRun(parent, io.cwd()));
}

/** Directories of the runs that stages of a run have started. */
export function childDirectories(directory: string): readonly string[] {
  return childRunsOf(directory, readView(directory)).map((child) => child.directory);
}

function isActive(status: string): boolean {
  return !isOver(status) && status !== 'damaged';
}

function newestFirst(one: RunSummary, other: RunSummary): number {
  if (one.start_time !== other.start_time) return one.start_time < other.start_time ? 1 : -1;
  return one.run_id < other.run_id ? 1 : -1;
}
