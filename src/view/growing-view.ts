import path from 'node:path';
import { JournalLines } from '../journal/journal.js';
import { JournalTail } from '../journal/journal-tail.js';
import { nodeFileSystem } from '../run-directory/file-system.js';
import { runFiles } from '../run-directory/run-files.js';
import { apply } from './fold/apply.js';
import { emptyView, type RunView, type ViewScope } from './fold/run-view.js';
import { readView } from './read-view.js';

/** View of a run that another process executes, for repeated reads: each reads only new events (§9.6). */
export class GrowingView {
  readonly #directory: string;
  readonly #file: string;
  #tail: JournalTail;
  #lines: JournalLines;
  readonly #scope: ViewScope | undefined;
  #view: RunView;
  #seen = { inode: 0, size: 0 };

  /** @param directory the run directory */
  constructor(directory: string, scope?: ViewScope) {
    this.#directory = directory;
    this.#scope = scope;
    this.#view = emptyView(scope);
    this.#file = path.join(directory, runFiles.journal);
    this.#tail = new JournalTail(this.#file);
    this.#lines = new JournalLines(this.#file);
  }

  /**
   * View of the whole current journal; it grows with the next read.
   * @throws RunError `run_damaged`
   */
  read(): RunView {
    const stats = nodeFileSystem.stat(this.#file);
    // Its error best describes a missing journal.
    if (stats === undefined) return readView(this.#directory, this.#scope);
    const { ino: inode, size } = stats;
    // The file was replaced, perhaps by an older copy.
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
    this.#view = emptyView(this.#scope);
    this.#seen = { inode: 0, size: 0 };
  }
}
