import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SteeredStage } from '../run/driver/stage-words.js';
import { runFiles } from '../run-directory/run-files.js';
import {
  isRequestPending,
  requestRun,
  runOwner,
  takeRefusal,
  withdrawRequest,
} from '../run-directory/run-requests.js';
import { UsageError } from './usage-error.js';
import { whyNobody, whyNoWords } from './why-no-words.js';

/** Time in milliseconds that the process of the run has to take words. */
const patienceMs = 10_000;
const lookMs = 25;

/** Words of a person, on their way to a stage. */
export interface SaidWords extends SteeredStage {
  readonly text: string;
  readonly by?: string | undefined;
}

/**
 * Says something to the model of a running stage, whatever process executes the run.
 * @returns the id of the words, once the journal has them
 * @throws UsageError if nobody takes them, RunError `storage`
 */
export async function sayToStage(directory: string, { stage, branch, text, by }: SaidWords): Promise<string> {
  const id = randomUUID();
  const end = Date.now() + patienceMs;
  // One request at a time: another one is taken within a moment.
  while (isRequestPending(directory, 'steer') && Date.now() < end) await sleep(lookMs);
  const journal = path.join(directory, runFiles.journal);
  const from = statSync(journal, { throwIfNoEntry: false })?.size ?? 0;
  const owner = requestRun(directory, { kind: 'steer', id, stage, branch, text, person: by });
  if (owner === undefined) throw new UsageError(whyNobody(directory));
  do {
    const isOver = runOwner(directory) === undefined;
    const refusal = takeRefusal(directory, id);
    if (refusal !== undefined) throw new UsageError(whyNoWords(directory, stage) ?? refusal);
    if (isJournaled(journal, from, id)) return id;
    if (isOver) throw new UsageError('the run ended before it took the words');
    await sleep(lookMs);
  } while (Date.now() < end);
  withdrawRequest(directory, 'steer');
  throw new UsageError(`nobody took the words within ${patienceMs / 1000} s; try again`);
}

function isJournaled(journal: string, from: number, id: string): boolean {
  const size = statSync(journal, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= from) return false;
  const descriptor = openSync(journal, 'r');
  try {
    const bytes = Buffer.alloc(size - from);
    readSync(descriptor, bytes, 0, bytes.length, from);
    return bytes.includes(`"steering_id":"${id}"`);
  } finally {
    closeSync(descriptor);
  }
}
