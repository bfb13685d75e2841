import path from 'node:path';
import { makeDirectory } from '../run-directory/durable-file.js';
import type { FileSystem } from '../run-directory/file-system.js';
import { acquireLease, type Lock, lockHolder, takeLease } from '../run-directory/lock.js';
import { RunError } from '../run-directory/run-error.js';
import { runFiles } from '../run-directory/run-files.js';

/** Long enough for a worker to notice, at its next record or sign of life, that the database has taken the run from it, and to end its stages. */
const usualPatienceMs = 2000;
const lookMs = 20;

export interface LeaseCaller {
  /** Milliseconds for which it leaves the directory to another worker. */
  readonly patienceMs?: number | undefined;
  /** False if it has lost the run meanwhile, or leaves it. */
  isWanted(): boolean;
  /** Resolves once the database has confirmed that it has the run, or if it is not wanted any more. */
  prove(): Promise<void>;
}

/**
 * Leases the directory of a run for a drive, where workers share their directories: they would write over each other's files. Whoever
 * still holds it then has lost the run, as the database says, and gets time to end; one that is frozen finds out when it wakes up.
 * @returns undefined if it is not wanted any more
 */
export async function leaseDirectory(
  directory: string,
  fileSystem: FileSystem,
  { patienceMs = usualPatienceMs, isWanted, prove }: LeaseCaller,
): Promise<Lock | undefined> {
  makeDirectory(path.resolve(directory), fileSystem);
  const file = path.join(directory, runFiles.lock);
  const end = performance.now() + patienceMs;
  while (isWanted()) {
    const lease = tryToAcquire(file, fileSystem);
    if (lease !== undefined) return lease;
    if (performance.now() >= end) {
      await prove();
      return isWanted() ? takeLease(file, fileSystem) : undefined;
    }
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  return undefined;
}

function tryToAcquire(file: string, fileSystem: FileSystem): Lock | undefined {
  // To try it takes some calls of the system.
  if (lockHolder(file, fileSystem) !== undefined) return undefined;
  try {
    return acquireLease(file, fileSystem);
  } catch (error) {
    if (error instanceof RunError && error.code === 'run_locked') return undefined;
    throw error;
  }
}
