import path from 'node:path';
import { z } from 'zod';
import { nodeFileSystem } from './file-system.js';
import { type LockHolder, lockHolder } from './lock.js';
import { describeSystemError, RunError } from './run-error.js';
import { runFiles } from './run-files.js';

const requestShape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('cancel') }),
  z.object({
    kind: z.literal('pause'),
    /** `after_stage` lets the running stages finish; `now` stops them, to be run again later. */
    mode: z.enum(['after_stage', 'now']),
    /** Reason for people, in the journal. */
    reason: z.string(),
  }),
  z.object({
    kind: z.literal('steer'),
    /** Of the words, unique in the run. */
    id: z.string(),
    stage: z.string(),
    branch: z.string().optional(),
    text: z.string(),
    /** Name of the person; `by` is the process that asks. */
    person: z.string().optional(),
  }),
]);

/** Request to the process that executes a run: an input of the machine, or words that become one. */
export type ControlRequest = Readonly<z.infer<typeof requestShape>>;

/** Process that executes a run. */
export type RunOwner = LockHolder;

/** @returns undefined if no live process executes the run */
export function runOwner(directory: string): RunOwner | undefined {
  return lockHolder(path.join(directory, runFiles.lock));
}

/** Workers of stages by their attempts, as the copy of a spread run of a cluster says; none if it does not. */
export function readStageWorkers(directory: string): ReadonlyMap<string, string> {
  try {
    const text = nodeFileSystem.readFile(path.join(directory, runFiles.stageWorkers)).toString('utf8');
    const entries = Object.entries(JSON.parse(text) as object);
    return new Map(entries.map(([key, worker]) => [key, String(worker)]));
  } catch {
    // It is replaced all the time, and nothing depends on it.
    return new Map();
  }
}

/**
 * Asks the process that executes a run to pause or to cancel it, by a file in the run directory: that needs
 * no port, and reaches every process that can lock the run. The file names its addressee, so that a later
 * process ignores it.
 * @returns the addressee; undefined if no live process executes the run
 * @throws RunError `storage`
 */
export function requestRun(directory: string, request: ControlRequest): RunOwner | undefined {
  const owner = runOwner(directory);
  if (owner === undefined) return undefined;
  const file = requestFile(directory, request.kind);
  try {
    const { pid, since } = owner;
    const content = { ...request, for: { pid, since }, by: process.pid };
    nodeFileSystem.writeFile(file, `${JSON.stringify(content)}\n`);
  } catch (error) {
    const what = describeSystemError(error);
    throw new RunError('storage', `the request ${file} could not be written: ${what}`, { cause: error });
  }
  return owner;
}

/** True if the addressee has not yet taken a request. */
export function isRequestPending(directory: string, kind: ControlRequest['kind']): boolean {
  const owner = runOwner(directory);
  return owner !== undefined && readRequest(requestFile(directory, kind), owner) !== undefined;
}

/** Withdraws a request that was not yet taken. */
export function withdrawRequest(directory: string, kind: ControlRequest['kind']): void {
  remove(requestFile(directory, kind));
}

/** Maximum of bytes; the reason of a pause is the longest part. */
const longestRequest = 1024 * 1024;

/** Interval in milliseconds at which requests are checked. */
const pollMs = 200;

/** Checks for requests, one for each run that this process executes: they share a timer. */
const watchers = new Set<() => void>();
let timer: NodeJS.Timeout | undefined;

/**
 * Passes the requests for a run to the process that executes it, each once, until it stops watching. Call
 * it when the run is locked. Never throws.
 *
 * It polls instead of watching the file system: `fs.watch` on a run directory would wake at every line of
 * the journal, which costs as much as the line itself, while two polls cost two microseconds.
 * @returns a function that stops watching, and removes requests that came too late
 */
export function watchRequests(directory: string, onRequest: (request: ControlRequest) => void): () => void {
  const owner = ownLock(directory);
  // What lies there after another process has taken the run over is for that one.
  const isOurs = (): boolean => owner !== undefined && ownLock(directory)?.since === owner.since;
  const look = (): void => {
    for (const kind of requestKinds) {
      const file = requestFile(directory, kind);
      if (!nodeFileSystem.exists(file) || !isOurs()) continue;
      const request = takeRequest(file, owner);
      if (request !== undefined) onRequest(request);
    }
  };
  watchers.add(look);
  timer ??= setInterval(() => {
    for (const watcher of [...watchers]) watcher();
  }, pollMs).unref();
  return () => {
    watchers.delete(look);
    if (isOurs()) for (const kind of requestKinds) withdrawRequest(directory, kind);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Kinds of requests; a cancelled run needs no pause, so the order matters. */
const requestKinds = ['cancel', 'pause', 'steer'] as const satisfies readonly ControlRequest['kind'][];

function requestFile(directory: string, kind: ControlRequest['kind']): string {
  return path.join(directory, `request-${kind}.json`);
}

function ownLock(directory: string): RunOwner | undefined {
  try {
    return runOwner(directory);
  } catch {
    return undefined;
  }
}

/** Takes a request, after renaming it: one that comes in the meantime is another one. */
function takeRequest(file: string, owner: RunOwner | undefined): ControlRequest | undefined {
  const taken = `${file}.taken`;
  try {
    nodeFileSystem.rename(file, taken);
    return readRequest(taken, owner);
  } catch {
    return undefined;
  } finally {
    remove(taken);
  }
}

/**
 * @returns undefined for a request to another process, such as one that has died since, and for an invalid
 * one
 */
function readRequest(file: string, owner: RunOwner | undefined): ControlRequest | undefined {
  try {
    const content: unknown = JSON.parse(nodeFileSystem.readFile(file, longestRequest).toString('utf8'));
    const addressee = addressShape.parse(content).for;
    if (addressee.pid !== owner?.pid || addressee.since !== owner.since) return undefined;
    return requestShape.parse(content);
  } catch {
    return undefined;
  }
}

const addressShape = z.object({ for: z.object({ pid: z.number(), since: z.number() }) });

function remove(file: string): void {
  try {
    nodeFileSystem.rm(file);
  } catch {
    // A request that cannot be removed is for a process that will have ended; others ignore it.
  }
}

/** Leaves the reason why words were refused, for the process that brought them. */
export function refuseSteering(directory: string, id: string, reason: string): void {
  try {
    nodeFileSystem.writeFile(refusalFile(directory, id), reason);
  } catch {
    // That process reports that nobody took the words.
  }
}

/** @returns the reason why words were refused; undefined if they were not */
export function takeRefusal(directory: string, id: string): string | undefined {
  const file = refusalFile(directory, id);
  if (!nodeFileSystem.exists(file)) return undefined;
  const reason = nodeFileSystem.readFile(file, longestRequest).toString('utf8');
  remove(file);
  return reason;
}

function refusalFile(directory: string, id: string): string {
  return path.join(directory, `request-steer-${id}.refused`);
}
