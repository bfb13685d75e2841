import path from 'node:path';
import { messageOf } from '../../handlers/error-category.js';
import { holdsRun } from '../../run-directory/run-files.js';
import { runOwner } from '../../run-directory/run-requests.js';
import { readView } from '../../view/read-view.js';
import { overviewStatus } from '../../view/run-overview.js';
import { serverStopped } from './run-executor.js';
import type { RunParts } from './run-parts.js';
import {
  isWaiting,
  readMark,
  readWaiting,
  removeWaiting,
  type WaitingRecord,
  writeMark,
} from './server-files.js';
import { beginWaiting, queueResumption } from './start-runs.js';

/**
 * Takes up what the server before this one has left in the home (§9.5): first the runs that it executed when it was stopped or
 * died, then its queue, in order. Runs that others have left are only listed.
 * @returns runs that a server executed in another container or on another machine, and that may still be executed there
 */
export function recoverRuns(parts: RunParts): readonly string[] {
  const waiting: { readonly id: string; readonly record: WaitingRecord }[] = [];
  const undecided: string[] = [];
  const cutOff: string[] = [];
  for (const id of parts.index.names()) {
    try {
      const record = waitingIn(parts, id);
      if (record !== undefined) waiting.push({ id, record });
      else if (isCutOff(path.join(parts.home, id))) cutOff.push(id);
      else if (isHeldElsewhere(path.join(parts.home, id))) undecided.push(id);
    } catch (error) {
      warn(parts, id, `the run cannot be taken up: ${messageOf(error)}`);
    }
  }
  takeUp(parts, cutOff.sort());
  for (const { id, record } of waiting.sort((one, other) => one.record.order - other.record.order)) {
    if (record.kind === 'resume') queueResumption(parts, id, record.resumption);
    else {
      const begin = (): void => void beginWaiting(parts, id, record);
      parts.executor.queue.add({ id, kind: 'start', begin });
    }
  }
  return undecided;
}

/** Takes up those of some runs that turned out to be executed by nobody. */
export function recoverCutOff(parts: RunParts, ids: readonly string[]): void {
  try {
    takeUp(
      parts,
      ids.filter((id) => isCutOff(path.join(parts.home, id))),
    );
    parts.executor.pump();
  } catch (error) {
    parts.surroundings.log.write('warning', `runs cannot be taken up: ${messageOf(error)}`);
  }
}

function isHeldElsewhere(directory: string): boolean {
  const mark = readMark(directory);
  return mark !== undefined && mark !== 'released' && runOwner(directory)?.elsewhere !== undefined;
}

function takeUp(parts: RunParts, ids: readonly string[]): void {
  if (ids.length === 0) return;
  const { log, options } = parts.surroundings;
  const message = `runs cut off when the server ended: ${ids.length}`;
  const fields = { runs: ids.join(',') };
  if (options.onRestart === 'offer') return log.write('warning', `${message}; wait to be resumed`, fields);
  log.write('info', `${message}; they continue now`, fields);
  for (const id of ids) queueResumption(parts, id, {});
}

/** Waiting run in a directory; undefined if there is none. */
function waitingIn(parts: RunParts, id: string): WaitingRecord | undefined {
  const directory = path.join(parts.home, id);
  if (!isWaiting(directory)) return undefined;
  const record = readWaiting(directory);
  if (record === undefined) {
    warn(parts, id, 'what waits in the queue there cannot be read, and is left alone');
    return undefined;
  }
  if (record.kind === 'resume' || !holdsRun(directory)) return isRefused(record) ? undefined : record;
  // It had begun, but the record was not removed.
  removeWaiting(directory);
  return undefined;
}

function isRefused(record: WaitingRecord): boolean {
  return record.refused !== undefined;
}

/**
 * True if a server executed the run until the server itself ended; a run that was paused for another reason
 * stays paused.
 */
function isCutOff(directory: string): boolean {
  const mark = readMark(directory);
  if (mark === undefined || mark === 'released' || !holdsRun(directory)) return false;
  const owner = runOwner(directory);
  if (owner !== undefined) return false;
  const view = readView(directory);
  const status = overviewStatus(view, owner);
  if (status === 'interrupted') return true;
  if (status === 'paused' && mark === 'stopped' && view.pausedReason === serverStopped) return true;
  writeMark(directory, 'released');
  return false;
}

function warn({ surroundings: { log } }: RunParts, run: string, message: string): void {
  log.write('warning', message, { run });
}
