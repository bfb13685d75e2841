import type { JournalEnd } from '../journal/journal.js';
import type { RunEvent } from '../machine/event.js';
import type { Lock } from '../run-directory/lock.js';
import type { JournalFoldData } from './journal-fold.js';

/** Directory that was made of the history of a run, to drive it there. */
export interface CachedDirectory {
  /** Lock that whoever has made it holds until the drive has ended. */
  readonly lock: Lock;
  /** Fold of the journal before the events; undefined if these are all. */
  readonly fold: JournalFoldData | undefined;
  readonly events: readonly RunEvent[];
  /** End of the journal; a promise while the file is still being written, because a long run does not wait for that. */
  readonly end: JournalEnd | Promise<JournalEnd>;
}
