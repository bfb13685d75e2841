import path from 'node:path';
import { checkJournal } from '../journal/check-journal.js';
import { damaged } from '../journal/journal.js';
import { JournalTail } from '../journal/journal-tail.js';
import type { RunEvent } from '../machine/event.js';
import { runFiles } from '../run-directory/run-files.js';
import { JournalDigest } from './journal-digest.js';

/**
 * What the journal of a run amounts to for somebody who looks at it from outside, in one pass.
 * @throws RunError `run_damaged`
 */
export function runDigest(directory: string): JournalDigest {
  const file = path.join(directory, runFiles.journal);
  const digest = new JournalDigest();
  checkJournal(directory);
  let line = 0;
  for (const text of new JournalTail(file).read()) {
    line += 1;
    digest.add(eventOf(file, line, text));
  }
  return digest;
}

/** An event as it is in a line of a journal. @throws RunError `run_damaged` */
export function eventOf(file: string, line: number, text: string): RunEvent {
  let event: RunEvent | null;
  try {
    event = JSON.parse(text) as RunEvent | null;
  } catch {
    throw damaged(file, line, 'it is not JSON');
  }
  if (event?.seq !== line) throw damaged(file, line, `its seq must be ${line}`);
  return event;
}
