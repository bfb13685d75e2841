import path from 'node:path';
import { perObject } from '../graph/per-object.js';
import { discard } from './durable-file.js';
import { type FileSystem, temporaryName } from './file-system.js';

/** Milliseconds between two renewals of a lock. */
export const renewMs = 5000;

/** Milliseconds without a renewal after which a lock of another container or machine has no owner. */
export const graceMs = 30_000;

/**
 * Milliseconds since a lock was renewed, by the clock of its file system alone, because the clocks of two machines may differ: the
 * time of a file that is written now next to the lock is the present. A time far in the future was not written by a process that
 * renews the lock, and counts like a time as far in the past.
 * @returns undefined where there is no lock
 */
export function ageOfLock(file: string, fileSystem: FileSystem): number | undefined {
  const status = fileSystem.stat(file);
  if (status === undefined) return undefined;
  const looks = looksOf(fileSystem);
  const known = looks.get(file);
  if (known !== undefined && known.ino === status.ino && known.mtimeMs === status.mtimeMs) {
    const passed = performance.now() - known.at;
    // It only gets older; and whoever looks all the time need not write all the time.
    if (known.age + passed >= graceMs || passed < renewMs) return known.age + passed;
  }
  const age = Math.abs(present(file, fileSystem) - status.mtimeMs);
  if (looks.size >= mostLooks) looks.clear();
  looks.set(file, { ino: status.ino, mtimeMs: status.mtimeMs, age, at: performance.now() });
  return age;
}

interface Look {
  readonly ino: number;
  readonly mtimeMs: number;
  readonly age: number;
  /** Time at which it was that old, by a clock that never goes back. */
  readonly at: number;
}

const mostLooks = 1000;
const looksOf = perObject((_fileSystem: FileSystem): Map<string, Look> => new Map());

/** Time by the clock of a file system. Where nothing can be written, nothing can be taken over either: there the own clock must do. */
function present(file: string, fileSystem: FileSystem): number {
  const probe = temporaryName(path.join(path.dirname(file), 'clock'));
  try {
    const descriptor = fileSystem.open(probe, 'wx');
    try {
      return fileSystem.fstat(descriptor).mtimeMs;
    } finally {
      fileSystem.close(descriptor);
      discard(probe, fileSystem);
    }
  } catch {
    return Date.now();
  }
}
