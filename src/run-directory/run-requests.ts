import path from 'node:path';
import { z } from 'zod';
import { nodeFileSystem } from './file-system.js';
import { lockHolder } from './lock.js';
import { describeSystemError, RunError } from './run-error.js';
import { runFiles } from './run-files.js';

const requestShape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('cancel') }),
  z.object({
    kind: z.literal('pause'),
    /** `after_stage` lets the running stages finish; `now` stops them, to be run again later. */
    mode: z.enum(['after_stage', 'now']),
    /** For people, in the journal. */
    reason: z.string(),
  }),
]);

/** What another process may ask of the one that executes a run: inputs of the machine, as they are. */
export type RunRequest = Readonly<z.infer<typeof requestShape>>;

/** The process that executes a run. */
export interface RunOwner {
  readonly pid: number;
  /** When it took the run, in milliseconds since 1970, to the precision of the file system. */
  readonly since: number;
}

/** @returns undefined where no living process executes the run */
export function runOwner(directory: string): RunOwner | undefined {
  const file = path.join(directory, runFiles.lock);
  const pid = lockHolder(file);
  const since = pid === undefined ? undefined : nodeFileSystem.stat(file)?.mtimeMs;
  return pid === undefined || since === undefined ? undefined : { pid, since };
}

/**
 * Asks the process that executes a run to pause or to cancel it, by a file in the run directory: that needs no port, and
 * reaches every process that can lock the run. The file names whom it is for, so that it means nothing to a later one.
 * @returns whom was asked; undefined where no living process executes the run
 * @throws RunError `storage`
 */
export function requestRun(directory: string, request: RunRequest): RunOwner | undefined {
  const owner = runOwner(directory);
  if (owner === undefined) return undefined;
  const file = requestFile(directory, request.kind);
  try {
    nodeFileSystem.writeFile(file, `${JSON.stringify({ ...request, for: owner, by: process.pid })}\n`);
  } catch (error) {
    const what = describeSystemError(error);
    throw new RunError('storage', `the request ${file} could not be written: ${what}`, { cause: error });
  }
  return owner;
}

/** Whether a request still lies there, not taken by the process that it is for. */
export function isRequestPending(directory: string, kind: RunRequest['kind']): boolean {
  const owner = runOwner(directory);
  return owner !== undefined && readRequest(requestFile(directory, kind), owner) !== undefined;
}

/** Takes a request back that nobody has taken. */
export function withdrawRequest(directory: string, kind: RunRequest['kind']): void {
  remove(requestFile(directory, kind));
}

/** Bytes; the reason of a pause is the longest part. */
const longestRequest = 1024 * 1024;

/** How soon a request is noticed. */
const pollMs = 200;

/** What looks for requests, one for each run that this process executes: they share a timer. */
const watchers = new Set<() => void>();
let timer: NodeJS.Timeout | undefined;

/**
 * Hands the requests for a run to the process that executes it, each once, until it stops watching. To be called when
 * the run is locked. Never throws.
 *
 * It looks instead of being told by the file system: `fs.watch` on a run directory would wake at every line of the
 * journal, which costs as much as the line itself, while two looks cost two microseconds.
 * @returns stops watching, and removes what came too late
 */
export function watchRequests(directory: string, onRequest: (request: RunRequest) => void): () => void {
  const owner = ownLock(directory);
  const look = (): void => {
    for (const kind of requestKinds) {
      const request = takeRequest(requestFile(directory, kind), owner);
      if (request !== undefined) onRequest(request);
    }
  };
  watchers.add(look);
  timer ??= setInterval(() => {
    for (const watcher of [...watchers]) watcher();
  }, pollMs).unref();
  return () => {
    watchers.delete(look);
    for (const kind of requestKinds) withdrawRequest(directory, kind);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** A cancelled run needs no pause, so that the order matters. */
const requestKinds = ['cancel', 'pause'] as const satisfies readonly RunRequest['kind'][];

function requestFile(directory: string, kind: RunRequest['kind']): string {
  return path.join(directory, `request-${kind}.json`);
}

function ownLock(directory: string): RunOwner | undefined {
  try {
    return runOwner(directory);
  } catch {
    return undefined;
  }
}

/** Moved out of the way first: a request that comes in the meantime is another one. */
function takeRequest(file: string, owner: RunOwner | undefined): RunRequest | undefined {
  if (!nodeFileSystem.exists(file)) return undefined;
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

/** @returns undefined for a request to another process, as one that has died since, and for what is not a request */
function readRequest(file: string, owner: RunOwner | undefined): RunRequest | undefined {
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
    // What cannot be removed is for a process that will have ended, and means nothing to others.
  }
}
