import path from 'node:path';
import { JournalTail } from '../journal/journal-tail.js';
import { nodeFileSystem } from '../run-directory/file-system.js';
import { runFiles } from '../run-directory/run-files.js';
import { JournalDigest } from './journal-digest.js';
import { eventOf, runDigest } from './run-digest.js';

/** What the journal of a run that somebody else writes amounts to, looked at again and again: only what is new is read (§9.6). */
export class GrowingDigest {
  readonly #directory: string;
  readonly #file: string;
  #tail: JournalTail;
  #digest = new JournalDigest();
  #lines = 0;
  #seen = { inode: 0, size: 0 };

  /** @param directory the run directory */
  constructor(directory: string) {
    this.#directory = directory;
    this.#file = path.join(directory, runFiles.journal);
    this.#tail = new JournalTail(this.#file);
  }

  /**
   * The digest of the whole journal as it is now; it grows with the next look.
   * @throws RunError `run_damaged`
   */
  read(): JournalDigest {
    const stats = nodeFileSystem.stat(this.#file);
    // Says best what is wrong where there is none.
    if (stats === undefined) return runDigest(this.#directory);
    const { ino: inode, size } = stats;
    // Somebody put another one, or an older copy, in its place.
    if (inode !== this.#seen.inode || size < this.#seen.size) this.#beginAnew();
    this.#seen = { inode, size };
    try {
      for (const text of this.#tail.read()) {
        this.#lines += 1;
        this.#digest.add(eventOf(this.#file, this.#lines, text));
      }
    } catch (error) {
      this.#beginAnew();
      throw error;
    }
    return this.#digest;
  }

  #beginAnew(): void {
    this.#tail = new JournalTail(this.#file);
    this.#digest = new JournalDigest();
    this.#lines = 0;
    this.#seen = { inode: 0, size: 0 };
  }
}
