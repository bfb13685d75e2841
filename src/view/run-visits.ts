import path from 'node:path';
import type { Program } from '../graph/program.js';
import { readEvent } from '../journal/follow-journal.js';
import { JournalTail } from '../journal/journal-tail.js';
import type { RunEvent } from '../machine/event.js';
import { RunError } from '../run-directory/run-error.js';
import { runFiles } from '../run-directory/run-files.js';
import { runOwner } from '../run-directory/run-requests.js';
import { VisitFold, type VisitSelection } from './visit-fold.js';

/** The visits of a run so far, and when it all began and ended. */
export interface RunVisits extends Pick<VisitFold, 'visits' | 'omitted'> {
  /** Undefined of a run that has not begun. */
  readonly startedAt: string | undefined;
  readonly lastEventAt: string | undefined;
}

/**
 * Reads the journal of a run, which may be under way, in one pass.
 * @param nodes of the pipeline of the run: places of files depend on it
 * @param onEvent told every event, for whoever wants to know more
 * @throws RunError `run_damaged`
 */
export function runVisits(
  directory: string,
  nodes: Program['nodes'],
  selection: VisitSelection,
  onEvent?: (event: RunEvent) => void,
): RunVisits {
  // Asked for first: what a process writes between the two looks is then still its own.
  const isExecuted = runOwner(directory) !== undefined;
  const file = path.join(directory, runFiles.journal);
  const fold = new VisitFold(nodes, selection);
  let startedAt: string | undefined;
  let lastEventAt: string | undefined;
  let isOver = false;
  let line = 0;
  for (const text of new JournalTail(file).read()) {
    line += 1;
    const event = readEvent(text);
    if (event?.seq !== line) throw damagedLine(file, line);
    fold.add(event);
    onEvent?.(event);
    startedAt ??= event.timestamp;
    lastEventAt = event.timestamp;
    if (ends.has(event.type)) isOver = true;
    else if (event.type === 'PipelineResumed') isOver = false;
  }
  if (lastEventAt !== undefined && (isOver || !isExecuted)) fold.stop(isOver, lastEventAt);
  return { visits: fold.visits, omitted: fold.omitted, startedAt, lastEventAt };
}

const ends: ReadonlySet<string> = new Set(['PipelineCompleted', 'PipelineFailed', 'PipelineCancelled']);

function damagedLine(file: string, line: number): RunError {
  return new RunError(
    'run_damaged',
    `the journal ${file} is damaged in line ${line}: it is no event with that number. Restore the file from a copy`,
  );
}
