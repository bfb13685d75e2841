import path from 'node:path';
import { checkJournal } from '../journal/check-journal.js';
import { damaged } from '../journal/journal.js';
import { JournalTail } from '../journal/journal-tail.js';
import type { RunEvent } from '../machine/event.js';
import { runFiles } from '../run-directory/run-files.js';
import { apply } from './fold/apply.js';
import { emptyView, type RunView, type ViewScope } from './fold/run-view.js';

/**
 * The view of a run, read from its journal in one pass.
 * @param scope how much of it is kept; by default what takes the same room however long the run is
 * @throws RunError `run_damaged`
 */
export function readView(directory: string, scope?: ViewScope): RunView {
  const file = path.join(directory, runFiles.journal);
  const view = emptyView(scope);
  checkJournal(directory);
  for (const text of new JournalTail(file).read()) apply(view, eventOf(file, view.seq + 1, text));
  return view;
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
