import { readFileSync } from 'node:fs';
import path from 'node:path';
import { discard } from './durable-file.js';
import { type FileSystem, nodeFileSystem } from './file-system.js';
import { describeSystemError, RunError } from './run-error.js';

/** Owner of a lock: enough to distinguish a process from a later one with the same number. */
interface LockOwner {
  readonly pid: number;
  /** Start of the process, as the system counts it; empty if the system does not report it. */
  readonly process_start: string;
}

export interface Lock {
  /**
   * Releases the lock; never fails: whatever the disk does, the lock no longer counts for this process, nor
   * for others once it has ended.
   */
  release(): void;
}

/**
 * Acquires the lock of a run (DESIGN §4). That of a dead owner is taken over.
 * @throws RunError `run_locked` if another live process holds it, `unusable_directory` if it cannot be read
 * or written
 */
export function acquireLock(file: string, fileSystem: FileSystem = nodeFileSystem): Lock {
  const owner: LockOwner = { pid: process.pid, process_start: processStart(process.pid) };
  const content = `${JSON.stringify(owner)}\n`;
  const own = `${file}.${process.pid}`;
  try {
    prepare(own, content, fileSystem);
    for (let attempt = 0; attempt < 10; attempt += 1) {
      if (claim(own, file, fileSystem)) return { release: () => release(file, content, fileSystem) };
      removeDeadLock(file, fileSystem);
    }
  } finally {
    discard(own, fileSystem);
  }
  throw new RunError('run_locked', `the lock ${file} could not be taken; another process keeps taking it`);
}

/** Writes the lock content to a new file: one of an earlier try may be linked to the lock itself. */
function prepare(own: string, content: string, fileSystem: FileSystem): void {
  try {
    fileSystem.rm(own);
    fileSystem.writeFile(own, content);
  } catch (error) {
    throw unusable(own, error);
  }
}

/** Maximum of bytes; ours have some hundred. */
const longestLock = 64 * 1024;

function unusable(file: string, error: unknown): RunError {
  const message = `the run directory ${path.dirname(file)} cannot be locked: ${file} cannot be written: ${describeSystemError(error)}`;
  return new RunError('unusable_directory', message, { cause: error });
}

/** Links the prepared file to the lock's name, which only one process can do. */
function claim(own: string, file: string, fileSystem: FileSystem): boolean {
  try {
    fileSystem.link(own, file);
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EEXIST';
    // Over a network a call may have been carried out although it is reported to have failed.
    if (!isSameFile(own, file, fileSystem)) {
      if (isTaken) return false;
      throw unusable(file, error);
    }
  }
  abandoned.delete(path.resolve(file));
  return true;
}

function isSameFile(one: string, other: string, fileSystem: FileSystem): boolean {
  const found = fileSystem.stat(one);
  return found !== undefined && found.ino === fileSystem.stat(other)?.ino;
}

/**
 * Removes the lock of a process that has ended. Only one process at a time may do so, and checks again
 * before it does: a slower one would remove the new lock of a faster one.
 * @throws RunError `run_locked`, `unusable_directory`
 */
function removeDeadLock(file: string, fileSystem: FileSystem): void {
  if (!isPresentAndDead(file, fileSystem)) return;
  const takeover = waitForLock(`${file}.takeover`, fileSystem);
  try {
    if (isPresentAndDead(file, fileSystem)) remove(file, fileSystem);
  } finally {
    takeover.release();
  }
}

const patienceMs = 1000;
const lookMs = 2;

/**
 * Waits for a lock: the process that removes a dead lock holds it only for a moment, and another one may
 * get the run.
 */
function waitForLock(file: string, fileSystem: FileSystem): Lock {
  const idle = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  for (let waited = 0; ; waited += lookMs) {
    try {
      return acquireLock(file, fileSystem);
    } catch (error) {
      const isTaken = error instanceof RunError && error.code === 'run_locked';
      if (!isTaken || waited >= patienceMs) throw error;
    }
    Atomics.wait(idle, 0, 0, lookMs);
  }
}

function remove(file: string, fileSystem: FileSystem): void {
  try {
    fileSystem.rm(file);
  } catch (error) {
    const what = describeSystemError(error);
    throw new RunError(
      'unusable_directory',
      `the lock ${file} was left behind by a process that has ended, and cannot be removed: ${what}. Remove it, then try again`,
      { cause: error },
    );
  }
}

function isPresentAndDead(file: string, fileSystem: FileSystem): boolean {
  const content = readLock(file, fileSystem);
  if (content === undefined) return false;
  const holder = livingOwner(file, content);
  if (holder === undefined) return true;
  throw new RunError(
    'run_locked',
    `this run is being executed by process ${holder}. Wait for it to end, or stop it by \`attractor pause\` or \`attractor cancel\` (the lock is ${file})`,
  );
}

/**
 * @returns undefined if there is none
 * @throws RunError `unusable_directory` if its owner cannot be determined
 */
function readLock(file: string, fileSystem: FileSystem): string | undefined {
  try {
    return fileSystem.readFile(file, longestLock).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new RunError(
      'unusable_directory',
      `the lock ${file} cannot be read: ${describeSystemError(error)}. If no other process executes this run, remove it and try again`,
      { cause: error },
    );
  }
}

/** Live process that holds a lock; undefined if there is none, or if that cannot be determined. */
export function lockHolder(file: string, fileSystem: FileSystem = nodeFileSystem): number | undefined {
  const content = readIfPresent(file, fileSystem);
  return content === undefined ? undefined : livingOwner(file, content);
}

function livingOwner(file: string, content: string): number | undefined {
  const owner = parseOwner(content);
  if (owner === undefined || !isAlive(owner)) return undefined;
  return owner.pid === process.pid && abandoned.has(path.resolve(file)) ? undefined : owner.pid;
}

/** Locks that this process gave up but could neither remove nor empty. */
const abandoned = new Set<string>();

/**
 * Releases a lock. One that cannot be removed, for example in a directory that has become read-only, is
 * emptied: then it has no owner.
 */
function release(file: string, content: string, fileSystem: FileSystem): void {
  if (readIfPresent(file, fileSystem) !== content) return;
  try {
    fileSystem.rm(file);
  } catch {
    try {
      const descriptor = fileSystem.open(file, 'a');
      try {
        fileSystem.ftruncate(descriptor, 0);
      } finally {
        fileSystem.close(descriptor);
      }
    } catch {
      abandoned.add(path.resolve(file));
    }
  }
}

function readIfPresent(file: string, fileSystem: FileSystem): string | undefined {
  try {
    return fileSystem.readFile(file, longestLock).toString('utf8');
  } catch {
    return undefined;
  }
}

function parseOwner(content: string): LockOwner | undefined {
  try {
    const { pid, process_start: start } = JSON.parse(content) as Partial<LockOwner>;
    return typeof pid === 'number' ? { pid, process_start: String(start ?? '') } : undefined;
  } catch {
    return undefined;
  }
}

/** True if there is a process with this number, whether the original one or another. */
export function isProcessAlive(pid: number): boolean {
  return isAlive({ pid, process_start: '' });
}

function isAlive(owner: LockOwner): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const start = processStart(owner.pid);
  return start === '' || owner.process_start === '' || start === owner.process_start;
}

/** Boot and start time of a process if /proc has them; empty elsewhere, so that the number alone must do. */
function processStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; its parent has not yet collected it.
    return fields[0] === 'Z' ? 'ended' : `${boot}/${fields[19] ?? ''}`;
  } catch {
    return '';
  }
}
