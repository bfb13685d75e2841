import path from 'node:path';
import { stoppable } from '../abort/stoppable.js';
import type { RunEvent } from '../machine/event.js';
import { readManifest } from '../run-directory/manifest.js';
import { runFiles } from '../run-directory/run-files.js';
import type { EventsOptions } from './event-feed.js';
import { followJournal } from './follow-journal.js';
import { JournalLines } from './journal.js';
import { ownTurn, turnLength } from './own-turn.js';

/**
 * Events of a run that any process executes, future ones included (§9.6), until the run has ended; a paused
 * or interrupted run has not, and may continue in another process.
 * @param directory the run directory
 * @throws RunError `run_not_found`, or `run_damaged` for a line that is not as it was written
 */
export function followEvents(
  directory: string,
  { from = 1, signal }: EventsOptions = {},
): AsyncIterableIterator<RunEvent> {
  return stoppable((stopped) => follow(directory, from, stopped), signal);
}

async function* follow(directory: string, from: number, stopped: AbortSignal): AsyncGenerator<RunEvent> {
  // Its message best describes a wrong directory.
  readManifest(directory);
  const file = path.join(directory, runFiles.journal);
  const lines = new JournalLines(file);
  let line = 0;
  let length = 0;
  for await (const text of followJournal(directory, () => undefined, stopped)) {
    if (length >= turnLength) {
      await ownTurn();
      length = 0;
    }
    length += text.length;
    line += 1;
    if (line >= from) yield lines.read(text);
    else lines.skip(text);
  }
}
