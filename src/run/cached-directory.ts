import path from 'node:path';
import type { JournalEnd } from '../journal/journal.js';
import type { Lock } from '../run-directory/lock.js';
import { TakenOverError } from '../run-directory/run-error.js';
import { runFiles } from '../run-directory/run-files.js';

/** Directory that was made of the history of a run, to drive it there. */
export interface CachedDirectory {
  /** Lock that whoever has made it holds until the drive has ended. */
  readonly lock: Lock;
  /** Last event of the history; 0 without any. */
  readonly seq: number;
  /** Hash of its line in the journal; empty without any. */
  readonly hash: string;
}

/**
 * Checks that the journal is the history of which the directory was made: a run must not continue from anything else.
 * @throws TakenOverError
 */
export function checkCache(
  { seq, hash }: CachedDirectory,
  directory: string,
  found: { readonly seq: number; readonly journalEnd: JournalEnd },
): void {
  const { journalEnd } = found;
  if (found.seq === seq && journalEnd.hash === hash && journalEnd.torn === 0) return;
  const file = path.join(directory, runFiles.journal);
  throw new TakenOverError(
    `the journal ${file} ends with event ${found.seq}, but the history of the run with event ${seq}, or it has other events: another process has written to it`,
  );
}
