import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { discard } from './durable-file.js';
import { type FileSystem, nodeFileSystem, writeWhole } from './file-system.js';
import { ageOfLock, graceMs, renewMs } from './lock-age.js';
import {
  type ClusterOwner,
  isOfThisPlace,
  isOwnerAlive,
  type LockOwner,
  parseOwner,
  thisOwner,
} from './lock-owner.js';
import { describeSystemError, RunError, TakenOverError } from './run-error.js';

/** Lock that this process holds. It is renewed for as long as it is held, which keeps no process alive. */
export interface Lock {
  /**
   * Checks that no other process has taken the lock because this one was stopped for so long that it counted as dead,
   * for example on a machine that was suspended. To be called before each write that would disturb the other one; it costs
   * next to nothing.
   * @throws RunError `storage`
   */
  check(): void;
  /** Calls the listener once if another process has taken the lock. @returns stops listening */
  onLost(listener: (error: RunError) => void): () => void;
  /**
   * Releases the lock; never fails: whatever the disk does, the lock no longer counts for this process, nor
   * for others once it has ended.
   */
  release(): void;
}

/** Live process that holds a lock. */
export interface LockHolder {
  readonly pid: number;
  /** Time at which it took the lock, in milliseconds since 1970; no two have the same. */
  readonly since: number;
  /** Container or machine of the process; undefined for this one. */
  readonly elsewhere?: Elsewhere;
  /** Set for a run that a cluster executes. */
  readonly cluster?: ClusterOwner | undefined;
}

/** Container or machine other than this one. */
export interface Elsewhere {
  readonly host: string;
  /** Milliseconds since its last sign of life. */
  readonly age: number;
}

/**
 * Acquires the lock of a run (DESIGN §4). That of a dead owner is taken over: one whose process has ended, and one of
 * another container or machine that has not renewed it for 30 seconds.
 * @throws RunError `run_locked` if another live process holds it, `unusable_directory` if it cannot be read
 * or written
 */
export function acquireLock(file: string, fileSystem: FileSystem = nodeFileSystem): Lock {
  return acquire(file, fileSystem, { isLease: false });
}

/**
 * Acquires a lock that another process may take (`takeLease`) while this one lives: each check looks whether one has.
 * @throws RunError like `acquireLock`
 */
export function acquireLease(file: string, fileSystem: FileSystem): Lock {
  return acquire(file, fileSystem, { isLease: true });
}

function acquire(file: string, fileSystem: FileSystem, use: LockUse): Lock {
  return held(file, fileSystem, use, (own) => {
    for (let attempt = 0; attempt < 10; attempt += 1) {
      if (claim(own, file, fileSystem)) return;
      removeDeadLock(file, fileSystem);
    }
    throw new RunError('run_locked', `the lock ${file} could not be taken; another process keeps taking it`);
  });
}

/**
 * Takes a lease from whoever holds it. The caller knows that the holder has lost what the lease protects, and may not have noticed.
 * @throws RunError `unusable_directory`
 */
export function takeLease(file: string, fileSystem: FileSystem): Lock {
  return held(file, fileSystem, { isLease: true }, (own) => {
    try {
      fileSystem.rename(own, file);
    } catch (error) {
      throw unusable(file, error);
    }
  });
}

interface LockUse {
  /** True if another process may take it from a holder that lives. */
  readonly isLease: boolean;
}

/** @param take gives a file that has the content of the lock its name */
function held(file: string, fileSystem: FileSystem, use: LockUse, take: (own: string) => void): Lock {
  const content = JSON.stringify(thisOwner());
  // Not a temporary file by name: those are removed by whoever has the lock.
  const own = `${file}.${randomBytes(6).toString('hex')}`;
  const descriptor = prepare(own, content, fileSystem);
  try {
    take(own);
    return new HeldLock(file, content, descriptor, fileSystem, use);
  } catch (error) {
    close(descriptor, fileSystem);
    throw error;
  } finally {
    discard(own, fileSystem);
  }
}

/** @returns a descriptor of the file, which nothing but this process knows of */
function prepare(own: string, content: string, fileSystem: FileSystem): number {
  try {
    fileSystem.writeFile(own, content);
    return fileSystem.open(own, 'a');
  } catch (error) {
    discard(own, fileSystem);
    throw unusable(own, error);
  }
}

/** Maximum of bytes; ours have some hundred. */
const longestLock = 64 * 1024;

function unusable(file: string, error: unknown): RunError {
  const message = `the run directory ${path.dirname(file)} cannot be locked, because ${file} cannot be written: ${describeSystemError(error)}`;
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

function close(descriptor: number, fileSystem: FileSystem): void {
  try {
    fileSystem.close(descriptor);
  } catch {
    // The descriptor is gone all the same.
  }
}

/** Milliseconds for which a renewed lock needs no check: well below the time after which others take it over. */
const trustMs = graceMs / 2;

class HeldLock implements Lock {
  readonly #file: string;
  readonly #content: string;
  /** Descriptor of the file itself, so that a file that takes its name is not written to. */
  readonly #descriptor: number;
  readonly #fileSystem: FileSystem;
  readonly #listeners = new Set<(error: RunError) => void>();
  /** Number of its file, for a lease. */
  readonly #ino: number | undefined;
  readonly #timer: NodeJS.Timeout;
  #renewedAt = Date.now();
  #isFlushing = false;
  #lost: RunError | undefined;

  constructor(
    file: string,
    content: string,
    descriptor: number,
    fileSystem: FileSystem,
    { isLease }: LockUse,
  ) {
    this.#file = file;
    this.#content = content;
    this.#descriptor = descriptor;
    this.#fileSystem = fileSystem;
    this.#ino = isLease ? fileSystem.fstat(descriptor).ino : undefined;
    this.#timer = setInterval(() => this.#renew(), renewMs).unref();
  }

  check(): void {
    const passed = Date.now() - this.#renewedAt;
    // The clock of the machine may have been set back.
    if (passed >= trustMs || passed < 0 || this.#isReplaced) this.#renew();
    if (this.#lost !== undefined) throw this.#lost;
  }

  onLost(listener: (error: RunError) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  release(): void {
    clearInterval(this.#timer);
    release(this.#file, this.#content, this.#fileSystem);
    close(this.#descriptor, this.#fileSystem);
  }

  /** True for a lease whose name is that of another file. */
  get #isReplaced(): boolean {
    return this.#ino !== undefined && this.#fileSystem.stat(this.#file)?.ino !== this.#ino;
  }

  /** Gives the lock a new time, unless another process has it or the run directory is gone. */
  #renew(): void {
    if (this.#lost !== undefined) return;
    const passed = Date.now() - this.#renewedAt;
    this.#renewedAt = Date.now();
    const found = readIfPresent(this.#file, this.#fileSystem);
    if (found?.trimEnd() === this.#content) return this.#touch();
    const owner = found === undefined ? undefined : parseOwner(found);
    if (this.#ino !== undefined) this.#loseLease(owner);
    else if (owner !== undefined) this.#lose(owner, passed);
  }

  /** Changes the content and not only its time, which is then set by the clock of the file system, wherever that is. */
  #touch(): void {
    try {
      this.#fileSystem.ftruncate(this.#descriptor, this.#content.length);
      writeWhole(this.#descriptor, lineEnd, this.#fileSystem);
      if (this.#isFlushing) return;
      this.#isFlushing = true;
      const flushed = (): void => {
        this.#isFlushing = false;
      };
      // Across a network others see it then.
      this.#fileSystem.fdatasyncSoon(this.#descriptor).then(flushed, flushed);
    } catch {
      // The journal reports a disk that fails.
    }
  }

  /** One that whoever has taken it has released again is lost too. */
  #loseLease(owner: LockOwner | undefined): void {
    const who = owner === undefined ? 'another process' : whoOwns(owner);
    this.#end(new TakenOverError(`${who} has taken the run directory over (the lock is ${this.#file})`));
  }

  #lose(owner: LockOwner, passed: number): void {
    const seconds = Math.round(Math.abs(passed) / 1000);
    this.#end(
      new RunError(
        'storage',
        `${whoOwns(owner)} has taken this run over (the lock is ${this.#file}), as happens where a process, or its whole machine, is stopped for more than ${graceMs / 1000} seconds; this one did not renew the lock for ${seconds} s. The run was stopped here, and nothing more was written`,
      ),
    );
  }

  #end(lost: RunError): void {
    this.#lost = lost;
    clearInterval(this.#timer);
    for (const listener of [...this.#listeners]) listener(lost);
  }
}

const lineEnd = Buffer.from('\n');

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
  const holder = livingHolder(file, content, fileSystem);
  if (holder === undefined) return true;
  throw new RunError(
    'run_locked',
    `this run is being executed by ${describeHolder(holder)}. Wait for it to end, or stop it with \`attractor pause\` or \`attractor cancel\`${orWait(holder)} (the lock is ${file})`,
  );
}

function orWait({ elsewhere }: LockHolder): string {
  if (elsewhere === undefined) return '';
  const seconds = Math.ceil((graceMs - elsewhere.age) / 1000);
  return `; if that process was killed, the run is free in ${seconds} s`;
}

/** Names a process that holds a lock, for people. */
export function describeHolder({ pid, elsewhere, cluster }: LockHolder): string {
  if (cluster?.worker === null) return 'the queue of the cluster';
  if (cluster !== undefined) return `worker ${cluster.worker}`;
  if (elsewhere === undefined) return `process ${pid}`;
  const seconds = Math.round(elsewhere.age / 1000);
  return `process ${pid} on ${elsewhere.host}, in another container or on another machine (last sign of life ${seconds} s ago)`;
}

function whoOwns(owner: LockOwner): string {
  const { pid, place } = owner;
  return place === undefined || isOfThisPlace(owner) ? `process ${pid}` : `process ${pid} on ${place.host}`;
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
export function lockHolder(file: string, fileSystem: FileSystem = nodeFileSystem): LockHolder | undefined {
  const content = readIfPresent(file, fileSystem);
  return content === undefined ? undefined : livingHolder(file, content, fileSystem);
}

/** True if a holder is this process. */
export function isThisProcess({ pid, elsewhere }: LockHolder): boolean {
  return elsewhere === undefined && pid === process.pid;
}

/** True if both holders are the same process. */
export function isSameProcess(one: LockHolder, other: LockHolder | undefined): boolean {
  return one.pid === other?.pid && one.elsewhere?.host === other.elsewhere?.host;
}

function livingHolder(file: string, content: string, fileSystem: FileSystem): LockHolder | undefined {
  const owner = parseOwner(content);
  if (owner === undefined) return undefined;
  const since = owner.since ?? fileSystem.stat(file)?.mtimeMs;
  if (since === undefined) return undefined;
  if (owner.place === undefined || isOfThisPlace(owner)) {
    if (!isOwnerAlive(owner)) return undefined;
    const isAbandoned = owner.pid === process.pid && abandoned.has(path.resolve(file));
    return isAbandoned ? undefined : { pid: owner.pid, since };
  }
  const age = ageOfLock(file, fileSystem);
  if (age === undefined || age >= graceMs) return undefined;
  return { pid: owner.pid, since, elsewhere: { host: owner.place.host, age }, cluster: owner.cluster };
}

/** Locks that this process gave up but could neither remove nor empty. */
const abandoned = new Set<string>();

/**
 * Releases a lock. One that cannot be removed, for example in a directory that has become read-only, is
 * emptied: then it has no owner.
 */
function release(file: string, content: string, fileSystem: FileSystem): void {
  if (readIfPresent(file, fileSystem)?.trimEnd() !== content) return;
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
