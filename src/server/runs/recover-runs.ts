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
  timesBrokenOff,
  type WaitingRecord,
  writeMark,
  writeWaiting,
} from './server-files.js';
import { beginWaiting, queueResumption } from './start-runs.js';

/**
 * Recovers the runs that the previous server has left in the home (§9.5): first those that it executed when it stopped or
 * died, then its queue, in order. Runs that other programs have left are only listed.
 * @returns runs that a server executed in another container or on another machine, and that may still be executed there
 */
export function recoverRuns(parts: RunParts): readonly string[] {
  const waiting: WaitingRun[] = [];
  const undecided: string[] = [];
  const cutOff: string[] = [];
  for (const id of parts.index.names()) {
    try {
      const directory = path.join(parts.home, id);
      const record = waitingIn(parts, id);
      if (record === undefined) {
        if (isCutOff(directory)) cutOff.push(id);
        else if (isHeldElsewhere(directory)) undecided.push(id);
        continue;
      }
      const brokeOff = timesBrokenOff(directory);
      if (brokeOff < mostBrokenOff) waiting.push({ id, brokeOff, record });
      else writeWaiting(directory, { ...record, refused: brokenOffTwice });
    } catch (error) {
      warn(parts, id, `the run cannot be resumed: ${messageOf(error)}`);
    }
  }
  takeUp(parts, cutOff);
  for (const { id, record, brokeOff } of waiting.sort(
    (one, other) => one.record.order - other.record.order,
  )) {
    if (record.kind === 'resume') queueResumption(parts, id, record.resumption, brokeOff);
    else {
      const begin = (): void => void beginWaiting(parts, id, record, brokeOff);
      parts.executor.queue.add({ id, kind: 'start', begin });
    }
  }
  return undecided;
}

/** Recovers the runs that no process executes after all. */
export function recoverCutOff(parts: RunParts, ids: readonly string[]): void {
  try {
    takeUp(
      parts,
      ids.filter((id) => isCutOff(path.join(parts.home, id))),
    );
    parts.executor.pump();
  } catch (error) {
    parts.environment.log.write('warning', `runs cannot be recovered: ${messageOf(error)}`);
  }
}

function isHeldElsewhere(directory: string): boolean {
  const mark = readMark(directory);
  return mark !== undefined && mark !== 'released' && runOwner(directory)?.elsewhere !== undefined;
}

interface WaitingRun {
  readonly id: string;
  readonly record: WaitingRecord;
  readonly brokeOff: number;
}

/** A run that breaks a server off again and again must not do so for ever. */
const mostBrokenOff = 2;
const brokenOffTwice =
  'the server ended twice while the run was to begin, so that it does not begin by itself any more; post or resume it to try again';

/** A run that broke off too often may be the reason: it is only offered. */
function takeUp(parts: RunParts, ids: readonly string[]): void {
  const { log, options } = parts.environment;
  const offersAll = options.onRestart === 'offer';
  const timesOf = (id: string): number => timesBrokenOff(path.join(parts.home, id));
  const found = ids.toSorted().map((id) => ({ id, brokeOff: timesOf(id) }));
  const isOffered = ({ brokeOff }: { readonly brokeOff: number }): boolean =>
    offersAll || brokeOff >= mostBrokenOff;
  const offered = found.filter(isOffered);
  const continued = found.filter((run) => !isOffered(run));
  const fields = (of: typeof found) => ({ runs: of.map(({ id }) => id).join(',') });
  const message = 'runs cut off when the server ended';
  if (offered.length > 0) {
    const twice = offersAll ? '' : ', which broke off twice in a row';
    log.write('warning', `${message}${twice}: ${offered.length}; wait to be resumed`, fields(offered));
  }
  if (continued.length > 0)
    log.write('info', `${message}: ${continued.length}; they continue now`, fields(continued));
  for (const { id, brokeOff } of continued) queueResumption(parts, id, {}, brokeOff);
}

/** The record that waits in a run directory; undefined where nothing waits. */
function waitingIn(parts: RunParts, id: string): WaitingRecord | undefined {
  const directory = path.join(parts.home, id);
  if (!isWaiting(directory)) return undefined;
  const record = readWaiting(directory);
  if (record === undefined) {
    warn(parts, id, 'what is queued there cannot be read, and is left alone');
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
  // Also where a server ended before the run that it recovered had an event.
  if (status === 'paused' && view.pausedReason === serverStopped) return true;
  writeMark(directory, 'released');
  return false;
}

function warn({ environment: { log } }: RunParts, run: string, message: string): void {
  log.write('warning', message, { run });
}
