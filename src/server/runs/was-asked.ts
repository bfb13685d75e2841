import path from 'node:path';
import { readEvent } from '../../journal/follow-journal.js';
import { JournalTail } from '../../journal/journal-tail.js';
import { holdsRun, runFiles } from '../../run-directory/run-files.js';
import { childRunsOf } from '../../view/child-runs.js';
import { readView } from '../../view/read-view.js';

/**
 * Whether a run, or one that its stages have started, has ever asked a question.
 * @param name its id, as the people of the run know it, or its stage
 */
export function wasAsked(directory: string, name: string): boolean {
  if (!holdsRun(directory)) return false;
  if (asksIn(directory, ({ question, stage }) => question === name || stage === name)) return true;
  return childrenBelow(directory).some((child) =>
    asksIn(child, ({ question, stage, run }) => `${run}.${question}` === name || name.endsWith(`/${stage}`)),
  );
}

interface Asked {
  readonly question: string;
  readonly stage: string;
  readonly run: string;
}

function asksIn(directory: string, isMeant: (asked: Asked) => boolean): boolean {
  for (const line of new JournalTail(path.join(directory, runFiles.journal)).read()) {
    if (!line.includes('"InterviewStarted"')) continue;
    const event = readEvent(line);
    if (event?.type !== 'InterviewStarted') continue;
    const { question, run_id: run } = event;
    if (isMeant({ question: question.id, stage: question.stage, run })) return true;
  }
  return false;
}

/** The directories of child runs, at every depth (SEMANTICS 64). */
function childrenBelow(directory: string): readonly string[] {
  return childRunsOf(directory, readView(directory)).flatMap((child) => [
    child.directory,
    ...childrenBelow(child.directory),
  ]);
}
