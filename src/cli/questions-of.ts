import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Question } from '../engine/machine/interview.js';
import { readJournal } from '../engine/runtime/journal.js';
import { openQuestions } from '../engine/runtime/open-questions.js';
import { runFiles } from '../engine/runtime/run-files.js';
import { readQuestions } from '../interviewers/question-files.js';

/**
 * The open questions of a run, whether a process executes it or not: those of its journal, and those that lie in its
 * directory without being in the journal, as a child run may have asked them.
 * @throws RunError `run_damaged` or `storage`
 */
export function questionsOf(directory: string): readonly Question[] {
  const journal = path.join(directory, runFiles.journal);
  const { open, known } = openQuestions(existsSync(journal) ? readJournal(journal).events : []);
  const others = readQuestions(path.join(directory, runFiles.questions));
  return [...open, ...others.filter(({ id }) => !known.has(id))];
}
