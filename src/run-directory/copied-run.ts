import type { Manifest } from './manifest.js';
import { RunError } from './run-error.js';

/** Manifest for a directory that is a copy of a run of a cluster. @param original text of the manifest, as the run has it */
export function manifestOfCopy(original: string): string {
  const manifest: Manifest = { ...JSON.parse(original), in_cluster: true };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/**
 * Refuses to drive on a run of a cluster from one of its directories: the database says which worker executes it, not the lock there, so its
 * stages would run twice.
 * @throws RunError `run_locked`
 */
export function refuseCopy(directory: string, { in_cluster: isInCluster, run_id: runId }: Manifest): void {
  if (isInCluster !== true) return;
  throw new RunError(
    'run_locked',
    `${directory} is a copy of a run that the workers of a cluster execute. Name the run by its id: ${runId} with --database URL, or fork the copy to continue on this machine`,
  );
}
