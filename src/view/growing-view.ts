import path from 'node:path';
import { JournalLines } from '../journal/journal.js';
import { JournalTail } from '../journal/journal-tail.js';
import { nodeFileSystem } from '../run-directory/file-system.js';
import { runFiles } from '../run-directory/run-files.js';
import { apply } from './fold/apply.js';
import { emptyView, type RunView } from './fold/run-view.js';
import { readView } from './read-view.js';

/** The view of a run that somebody else executes, looked at again and again: only what is new is read (§9.6). */
export class GrowingView {
  readonly #directory: string;
  readonly #file: string;
  #tail: JournalTail;
  #lines: JournalLines;
  #view = emptyView();
  #seen = { inode: 0, size: 0 };

  /** @param directory the run directory */
  constructor(directory: string) {
    this.#directory = directory;
    this.#file = path.join(directory, runFiles.journal);
    this.#tail = new JournalTail(this.#file);
    this.#lines = new JournalLines(this.#file);
  }

  /**
   * The view of the whole journal as it is now; it grows with the next look.
   * @throws RunError `run_damaged`
   */
  read(): RunView {
    const stats = nodeFileSystem.stat(this.#file);
    // Says best what is wrong where there is none.
    if (stats === undefined) return readView(this.#directory);
    const { ino: inode, size } = stats;
    // Somebody put another one, or an older copy, in its place.
    if (inode !== this.#seen.inode || size < this.#seen.size) this.#beginAnew();
    this.#seen = { inode, size };
    try {
      for (const text of this.#tail.read()) apply(this.#view, this.#lines.readQuickly(text));
    } catch (error) {
      this.#beginAnew();
      throw error;
    }
    return this.#view;
  }

  #beginAnew(): void {
    this.#tail = new JournalTail(this.#file);
    this.#lines = new JournalLines(this.#file);
    this.#view = emptyView();
    this.#seen = { inode: 0, size: 0 };
  }
}
