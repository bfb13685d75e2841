import path from 'node:path';
import { checkJournal } from '../journal/check-journal.js';
import { JournalLines } from '../journal/journal.js';
import { JournalTail } from '../journal/journal-tail.js';
import { runFiles } from '../run-directory/run-files.js';
import { apply } from './fold/apply.js';
import { emptyView, type RunView, type ViewScope } from './fold/run-view.js';

/**
 * View of a run, read from its journal in one pass.
 * @param scope parts that are kept; by default those whose size does not depend on the length of the run
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
