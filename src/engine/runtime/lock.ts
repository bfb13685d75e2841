import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describeSystemError, RunError } from './run-error.js';

/** Who runs a run: enough to tell a process from a later one that was given the same number. */
interface LockOwner {
  readonly pid: number;
  /** When the process started, as the system counts it; empty where the system does not tell. */
  readonly process_start: string;
}

export interface Lock {
  release(): void;
}

/**
 * Takes the lock of a run (DESIGN §4). A dead owner is taken over.
 * @throws RunError `run_locked` where another process that is alive holds it, `unusable_directory` where it cannot be written
 */
export function acquireLock(file: string): Lock {
  const owner: LockOwner = { pid: process.pid, process_start: processStart(process.pid) };
  const content = `${JSON.stringify(owner)}\n`;
  const own = `${file}.${process.pid}`;
  prepare(own, content);
  try {
    for (let attempt = 0; attempt < 10; attempt += 1) {
      if (claim(own, file)) return { release: () => release(file, content) };
      removeDeadLock(file);
    }
  } finally {
    rmSync(own, { force: true });
  }
  throw new RunError('run_locked', `the lock ${file} could not be taken; another process keeps taking it`);
}

function prepare(file: string, content: string): void {
  try {
    writeFileSync(file, content);
  } catch (error) {
    throw unusable(file, error);
  }
}

function unusable(file: string, error: unknown): RunError {
  const message = `the run directory ${path.dirname(file)} cannot be written: ${describeSystemError(error)}`;
  return new RunError('unusable_directory', message, { cause: error });
}

/** Links the prepared file to the lock's name, which only one process can do. */
function claim(own: string, file: string): boolean {
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw unusable(file, error);
  }
}

/**
 * Takes away the lock of a process that has ended. One process at a time may do so, and looks again before it does: a
 * slower one would take away the new lock of a faster one.
 * @throws RunError `run_locked`
 */
function removeDeadLock(file: string): void {
  if (!isPresentAndDead(file)) return;
  const takeover = acquireLock(`${file}.takeover`);
  try {
    if (isPresentAndDead(file)) rmSync(file, { force: true });
  } finally {
    takeover.release();
  }
}

function isPresentAndDead(file: string): boolean {
  const content = readIfPresent(file);
  if (content === undefined) return false;
  const holder = livingOwner(content);
  if (holder === undefined) return true;
  throw new RunError(
    'run_locked',
    `this run is being executed by process ${holder}. Wait for it to end, or stop it first (the lock is ${file})`,
  );
}

/** The process that holds a lock and is alive; undefined where nobody does. */
export function lockHolder(file: string): number | undefined {
  const content = readIfPresent(file);
  return content === undefined ? undefined : livingOwner(content);
}

function livingOwner(content: string): number | undefined {
  const owner = parseOwner(content);
  return owner !== undefined && isAlive(owner) ? owner.pid : undefined;
}

function release(file: string, content: string): void {
  if (readIfPresent(file) === content) rmSync(file, { force: true });
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
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

function isAlive(owner: LockOwner): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const start = processStart(owner.pid);
  return start === '' || owner.process_start === '' || start === owner.process_start;
}

/** Boot and start time of a process where /proc tells them; empty elsewhere, and then the number alone must do. */
function processStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; only nobody has asked yet how.
    return fields[0] === 'Z' ? 'ended' : `${boot}/${fields[19] ?? ''}`;
  } catch {
    return '';
  }
}
