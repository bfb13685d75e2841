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

/** Run of a list, with its progress as its history has it. */
interface ReadRun {
  readonly listed: ListedRun;
  readonly progress: RunProgress;
  /** Reason why it does not continue. */
  readonly problem: string | undefined;
}

/**
 * Summaries of the runs of a cluster, the newest first; the history of those that have not ended is read.
 * @param home directory in which commands keep copies of runs
 */
export async function summarizeRuns(cluster: Cluster, home: string): Promise<readonly ClusterRunSummary[]> {
  const runs = await readRuns(cluster);
  return runs.map(({ listed: { runId, manifest, worker = null, submittedAt }, progress }) => ({
    run_id: runId,
    run_dir: path.join(home, runId),
    ...identity(manifest, submittedAt),
    ...progress,
    worker,
  }));
}

/**
 * The newest runs of a cluster with the status that summaries have: the engine alone knows none that waits for a person.
 * @param limit of their number
 */
export async function listRuns(cluster: Cluster, limit: number): Promise<readonly ListedRun[]> {
  const runs = await readRuns(cluster, limit);
  return runs.map(({ listed, progress: { status }, problem }) => ({ ...listed, status, problem }));
}

async function readRuns(cluster: Cluster, limit?: number): Promise<readonly ReadRun[]> {
  const listed = await cluster.list(limit);
  const runs: ReadRun[] = [];
  for (let from = 0; from < listed.length; from += readTogether) {
    const some = listed.slice(from, from + readTogether);
    runs.push(...(await Promise.all(some.map((run) => readRun(cluster, run)))));
  }
  return runs;
}

async function readRun(cluster: Cluster, listed: ListedRun): Promise<ReadRun> {
  const { runId, end, problem } = listed;
  if (end !== undefined) return { listed, progress: progressAt(end), problem };
  const found = await cluster.find(runId);
  if (found === undefined) return { listed, progress: unknownProgress, problem };
  const progress = currentProgress(found);
  return { listed, progress, problem: problemOf(found) ?? pauseOf(progress, found) };
}

/** Reason for which the cluster stopped a run, which its journal does not have; undefined if it did not. */
export function problemOf({ carrier, history }: ClusterRun): string | undefined {
  return carrier.kind === 'failed' ? carrier.problem : history.problem;
}

function pauseOf({ status }: RunProgress, { history }: ClusterRun): string | undefined {
  return status === 'paused' ? history.view.pausedReason : undefined;
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
