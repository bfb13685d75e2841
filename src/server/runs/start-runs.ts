import { rmSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../run/driver/clock.js';
import { newRunId } from '../../run/run-id.js';
import { describeHolder, isThisProcess } from '../../run-directory/lock.js';
import { readManifest } from '../../run-directory/manifest.js';
import { readPipeline } from '../../run-directory/read-pipeline.js';
import { describeSystemError, RunError } from '../../run-directory/run-error.js';
import { holdsRun } from '../../run-directory/run-files.js';
import { runOwner } from '../../run-directory/run-requests.js';
import { readView } from '../../view/read-view.js';
import { statusPhrase } from '../../view/status-phrase.js';
import type { AcceptedRun, Resumption, RunStatusName, Submission } from '../api/run.js';
import { ProblemError } from '../problem-error.js';
import type { OwnRun } from './own-run.js';
import { withProblems } from './problem-of.js';
import { readyResumption } from './ready-resumption.js';
import type { ReadyRun } from './ready-run.js';
import { readySubmission } from './ready-submission.js';
import { manifestOfQueued } from './run-details.js';
import { type RunParts, statusOf } from './run-parts.js';
import { isWaiting, type WaitingRecord, type WaitingStart, writeMark, writeWaiting } from './server-files.js';

/** Starts a submitted pipeline, or lays it into the queue (§9.5). @throws ProblemError */
export async function submitRun(parts: RunParts, given: Submission): Promise<AcceptedRun> {
  const { executor, environment, home } = parts;
  executor.checkOpen();
  const ready = await readySubmission(given, environment);
  executor.checkOpen();
  const id = newRunId(ready.name, environment.clock ?? systemClock);
  const directory = path.join(home, id);
  const { dot, ...submission } = ready.submission;
  const record: WaitingStart = {
    kind: 'start',
    order: nextOrder(),
    submission,
    name: ready.name,
    goal: ready.goal,
    submitted_at: new Date(parts.now()).toISOString(),
  };
  if (!executor.hasRoom) {
    checkQueue(parts);
    enqueue(directory, record, dot);
    executor.queue.add({ id, kind: 'start', begin: () => void beginWaiting(parts, id, record) });
    parts.index.forget(id);
    return { id, status: 'queued' };
  }
  return withProblems(async () => {
    const run = beginStart(parts, id, record, async () => ready);
    await begun(run, directory);
    return { id, status: parts.details.ofOwn(run).status };
  });
}

/** The run that is next. */
export function beginWaiting(parts: RunParts, id: string, record: WaitingStart, brokeOff?: number): OwnRun {
  const directory = path.join(parts.home, id);
  if (!isWaiting(directory)) throw new RunError('run_not_found', `${directory} was removed while it waited`);
  const ready = (): Promise<ReadyRun> => {
    const submission = { ...record.submission, dot: readPipeline(directory) };
    return readySubmission(submission, parts.environment);
  };
  return beginStart(parts, id, record, ready, brokeOff);
}

function beginStart(
  { executor, home }: RunParts,
  id: string,
  record: WaitingStart,
  ready: () => Promise<ReadyRun>,
  brokeOff?: number,
): OwnRun {
  const directory = path.join(home, id);
  return executor.begin({
    id,
    directory,
    brokeOff,
    manifest: manifestOfQueued(id, record),
    launch: async (ports) => (await ready()).launch({ id, directory }, ports),
  });
}

/** Resolves when a run has begun; one that never began is removed. */
async function begun(run: OwnRun, directory: string): Promise<void> {
  try {
    await run.began;
  } catch (error) {
    await run.end;
    if (!holdsRun(directory)) rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

/** Resumes a run (§5.3), now or when it is its turn. @throws ProblemError `conflict` where it cannot */
export async function resumeServedRun(
  parts: RunParts,
  id: string,
  request: Resumption,
): Promise<AcceptedRun> {
  const { executor, index, environment } = parts;
  executor.checkOpen();
  await lettingGo(parts, id);
  const directory = index.directoryOf(id);
  checkResumable(parts, id, request);
  const ready = await readyResumption(directory, request, environment);
  executor.checkOpen();
  // Another request may have been as fast.
  checkResumable(parts, id, request);
  if (!executor.hasRoom) {
    checkQueue(parts);
    enqueue(directory, { kind: 'resume', order: nextOrder(), resumption: ready.resumption });
    // What broke off before does not count for what somebody has asked for.
    writeMark(directory, 'released');
    queueResumption(parts, id, ready.resumption);
    return { id, status: 'queued' };
  }
  return withProblems(async () => {
    const run = beginResuming(parts, id, async () => ready);
    await run.began;
    return { id, status: statusOf(parts, id) };
  });
}

/**
 * Lays a run into the queue that is to continue when it is its turn.
 * @param brokeOff times in a row that a server ended while it executed the run
 */
export function queueResumption(parts: RunParts, id: string, request: Resumption, brokeOff?: number): void {
  const { executor, home, environment } = parts;
  const ready = (): Promise<ReadyRun> => readyResumption(path.join(home, id), request, environment);
  executor.queue.add({ id, kind: 'resume', begin: () => void beginResuming(parts, id, ready, brokeOff) });
}

function beginResuming(
  { executor, home }: RunParts,
  id: string,
  ready: () => Promise<ReadyRun>,
  brokeOff?: number,
): OwnRun {
  const directory = path.join(home, id);
  return executor.begin({
    id,
    directory,
    brokeOff,
    manifest: readManifest(directory),
    view: readView(directory),
    launch: async (ports) => (await ready()).launch({ id, directory }, ports),
  });
}

/** A run that ends may have reported its end already, but not released its directory. */
export async function lettingGo({ executor, details }: RunParts, id: string): Promise<void> {
  const own = executor.own(id);
  if (own !== undefined && details.ofOwn(own).status !== 'running') await executor.untilFinished(id);
}

/** @throws ProblemError `conflict` */
function checkResumable(parts: RunParts, id: string, { from }: Resumption): void {
  const status = statusOf(parts, id);
  const directory = parts.index.directoryOf(id);
  if (parts.executor.own(id) === undefined && isResumable(status, from)) {
    if (holdsRun(directory)) return;
    throw new ProblemError('conflict', 'the run cannot continue: it never started');
  }
  const owner = runOwner(directory);
  const who = owner === undefined || isThisProcess(owner) ? '' : `, by ${describeHolder(owner)}`;
  throw cannotContinue(status, who);
}

/** The problem of a run that cannot be resumed. @param who executes it, as the end of a sentence */
export function cannotContinue(status: RunStatusName, who = ''): ProblemError {
  const hint = status === 'success' ? ' (to continue anyway, name a node with `from`)' : '';
  return new ProblemError('conflict', `the run cannot continue: it ${statusPhrase(status)}${who}${hint}`);
}

/** True if a run can be resumed in a status. @param from node that the request names */
export function isResumable(status: RunStatusName, from: string | undefined): boolean {
  switch (status) {
    case 'paused':
    case 'interrupted':
    case 'fail':
    case 'cancelled':
      return true;
    case 'success':
      return from !== undefined;
    case 'queued':
    case 'running':
    case 'damaged':
      return false;
  }
}

/** @throws ProblemError `too_many_requests` */
function checkQueue({ executor, environment: { options } }: RunParts): void {
  if (executor.queue.length < options.maxQueued) return;
  throw new ProblemError(
    'too_many_requests',
    `${options.maxRunning} runs are being executed and ${options.maxQueued} are queued, which are the limits of this server; try again when some have ended`,
    { retryAfter: retryAfterSeconds },
  );
}

/** Seconds after which to retry: the queue's progress is unknown, and so few requests do not disturb. */
const retryAfterSeconds = 10;

function enqueue(directory: string, record: WaitingRecord, dot?: string): void {
  try {
    writeWaiting(directory, record, dot);
  } catch (error) {
    const what = describeSystemError(error);
    throw new ProblemError('storage', `the run could not be queued in ${directory}: ${what}`, {
      cause: error,
    });
  }
}

let lastOrder = 0;

/** Microseconds since 1970, each only once: later ones come later, also after a restart. */
function nextOrder(): number {
  lastOrder = Math.max(lastOrder + 1, systemClock.now() * 1000);
  return lastOrder;
}
