import path from 'node:path';
import { parseManifest } from '../run-directory/manifest.js';
import { RunError } from '../run-directory/run-error.js';
import type { RunSummary } from '../view/summarize-run.js';
import type { Cluster, ClusterRun, ListedRun } from './cluster.js';
import { lockOwnerOf } from './mirror/carrier-lock.js';
import { progressOf, type RunEnd, type RunProgress } from './run-progress.js';

/** Run of a cluster in a list. */
export interface ClusterRunSummary extends RunSummary {
  /** Id of the worker that has it, or had it last. */
  readonly worker: string | null;
}

/** Number of histories that are read at a time. */
const readTogether = 8;

/**
 * Summaries of the runs of a cluster, the newest first; the history of those that have not ended is read.
 * @param home directory in which commands keep copies of runs
 */
export async function summarizeRuns(cluster: Cluster, home: string): Promise<readonly ClusterRunSummary[]> {
  const listed = await cluster.list();
  const summaries: ClusterRunSummary[] = [];
  for (let from = 0; from < listed.length; from += readTogether) {
    const some = listed.slice(from, from + readTogether);
    summaries.push(...(await Promise.all(some.map((run) => summarize(cluster, run, home)))));
  }
  return summaries;
}

async function summarize(cluster: Cluster, run: ListedRun, home: string): Promise<ClusterRunSummary> {
  const { runId, manifest, worker = null, end, submittedAt } = run;
  const found = end === undefined ? await cluster.find(runId) : undefined;
  const progress =
    (end && progressAt(end)) ?? (found === undefined ? unknownProgress : currentProgress(found));
  return {
    run_id: runId,
    run_dir: path.join(home, runId),
    ...identity(manifest, submittedAt),
    ...progress,
    worker,
  };
}

function identity(manifest: string, submittedAt: number) {
  try {
    const { name, goal, options, start_time } = parseManifest(manifest, '');
    return { name, goal, simulated: options.simulate, start_time };
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    return { name: '', goal: '', simulated: false, start_time: new Date(submittedAt).toISOString() };
  }
}

function progressAt({ status, steps, current_node, duration_ms }: RunEnd): RunProgress {
  return { status, steps, current_node, duration_ms };
}

const unknownProgress: RunProgress = { status: 'damaged', steps: 0, current_node: null, duration_ms: null };

function currentProgress(run: ClusterRun): RunProgress {
  const progress = progressOf(run.history.view);
  const owner = lockOwnerOf(run);
  if (owner !== undefined)
    return { ...progress, status: owner.cluster?.worker === null ? 'queued' : 'running' };
  const isInterrupted = progress.status === 'created' || progress.status === 'running';
  return isInterrupted ? { ...progress, status: 'interrupted' } : progress;
}
