import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { makeDirectory } from '../../run-directory/durable-file.js';
import { acquireLock, type Lock } from '../../run-directory/lock.js';
import { sha256 } from '../../run-directory/sha256.js';

/** Place of the stages that one worker performs. */
export interface StageHome {
  readonly directory: string;
  close(): void;
}

const lockEnd = '.lock';

/**
 * Makes a place below the home of a worker, with a lock next to it for as long as the worker lives, and removes the places of workers
 * that have died.
 */
export function openStageHome(home: string, workerId: string): StageHome {
  const all = path.join(home, '.stages');
  makeDirectory(path.resolve(all));
  const directory = path.join(all, sha256(workerId).slice(0, 16));
  const lock = acquireLock(`${directory}${lockEnd}`);
  for (const name of readdirSync(all))
    if (name.endsWith(lockEnd)) removeIfDead(path.join(all, path.basename(name, lockEnd)));
  return {
    directory,
    close() {
      removeIfDead(directory, lock);
    },
  };
}

function removeIfDead(directory: string, own?: Lock): void {
  try {
    const lock = own ?? acquireLock(`${directory}${lockEnd}`);
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
    lock.release();
  } catch (error) {
    // Its worker lives, or the disk refuses. The next worker that starts tries again.
    if (!isOfSystem(error)) throw error;
  }
}

function isOfSystem(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).code === 'string';
}
