import path from 'node:path';
import { checkJournal } from '../journal/check-journal.js';
import { JournalLines } from '../journal/journal.js';
import { JournalTail } from '../journal/journal-tail.js';
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
  const lines = new JournalLines(file);
  for (const text of new JournalTail(file).read()) apply(view, lines.readQuickly(text));
  return view;
}
