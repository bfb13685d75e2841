import { closeSync, fstatSync, readSync } from 'node:fs';
import path from 'node:path';
import { readEvent } from '../../journal/follow-journal.js';
import { nodeFileSystem } from '../../run-directory/file-system.js';
import { runFiles } from '../../run-directory/run-files.js';
import { apply } from '../../view/fold/apply.js';
import { emptyView } from '../../view/fold/run-view.js';
import type { RunStatusName } from '../api/run.js';

/** More than any last event of a run has. */
const tailBytes = 64 * 1024;

/**
 * End of a run by the last line of its journal, if its checkpoint lacks it because the process died between
 * the two (DESIGN §4). Undefined if it has not ended.
 */
export function endInJournal(directory: string): RunStatusName | undefined {
  const event = readEvent(lastLine(path.join(directory, runFiles.journal)));
  if (event === undefined) return undefined;
  const view = emptyView();
  apply(view, event);
  return view.status === 'created' || view.status === 'running' ? undefined : view.status;
}

/** The last whole line; a torn one after it says nothing. */
function lastLine(file: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = nodeFileSystem.open(file, 'r');
  } catch {
    // Requests for the run itself get the reason.
    return undefined;
  }
  try {
    const { size } = fstatSync(descriptor);
    const tail = Buffer.alloc(Math.min(size, tailBytes));
    const length = readSync(descriptor, tail, 0, tail.length, size - tail.length);
    return tail.toString('utf8', 0, length).split('\n').at(-2);
  } finally {
    closeSync(descriptor);
  }
}
