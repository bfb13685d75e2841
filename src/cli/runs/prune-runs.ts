import { rmSync } from 'node:fs';
import path from 'node:path';
import { acquireLock } from '../../run-directory/lock.js';
import { readManifest } from '../../run-directory/manifest.js';
import { describeSystemError, RunError } from '../../run-directory/run-error.js';
import { runFiles } from '../../run-directory/run-files.js';
import { UsageError } from '../../setup/usage-error.js';
import { isOver } from '../../view/run-status.js';
import type { RunSummary } from '../../view/summarize-run.js';
import { gitIn } from '../../workspaces/git/git.js';

/** Runs that may be removed. */
export interface PruneChoice {
  readonly status?: string;
  readonly parent?: string;
  readonly olderThan?: number;
  /** Number of the newest runs that stay. */
  readonly keep?: number;
}

/**
 * The runs that are removed. One that could be resumed is only if its status was named, and a running one never.
 * @param runs that the call is about, the newest first
 * @throws UsageError if the call does not say which of them
 */
export function prunedRuns(runs: readonly RunSummary[], choice: PruneChoice): readonly RunSummary[] {
  const { status, parent, olderThan, keep } = choice;
  if (parent !== undefined)
    throw new UsageError('a child run belongs to its parent and is removed with it; leave out --parent');
  if (status === 'running') throw new UsageError('a running run cannot be removed; cancel it first');
  if (olderThan === undefined && keep === undefined)
    throw new UsageError(
      'say which runs to remove: --older-than 30d, --keep 20, or both; --keep 0 is all of them',
    );
  const removable = runs.filter((run) => (status === undefined ? isOver(run.status) : run.status === status));
  return removable.slice(keep ?? 0);
}

/**
 * Removes a run directory. Its git branch stays, since that is what the run has made.
 * @returns the reason why it could not be removed
 */
export async function removeRun(directory: string): Promise<string | undefined> {
  try {
    const repository = repositoryOf(directory);
    // Nobody may resume it meanwhile.
    const lock = acquireLock(path.join(directory, runFiles.lock));
    try {
      rmSync(directory, { recursive: true, force: true });
    } finally {
      lock.release();
    }
    // Git still lists its work trees.
    await repository?.run(['worktree', 'prune']).catch(() => undefined);
    return undefined;
  } catch (error) {
    return error instanceof RunError ? error.message : describeSystemError(error);
  }
}

function repositoryOf(directory: string): ReturnType<typeof gitIn> | undefined {
  try {
    const { git } = readManifest(directory);
    return git === undefined ? undefined : gitIn(git.repository);
  } catch {
    // A damaged run.
    return undefined;
  }
}
