import type { FileStamps } from './file-stamps.js';
import { type StageFiles, statusFileName, type UnreadableFile } from './stage-files.js';

/** How many files are remembered: those of the stages that a run goes through again and again. */
const remembered = 1000;

/**
 * The `status.json` of the stages of a run (§5.6), with what the engine itself wrote to the latest. A stage that ends as it did
 * before needs no new file, and one that is as it was written says nothing about the attempt; creating and removing files takes
 * longer than all the rest of a stage that does little.
 */
export class StageStatuses {
  readonly #files: StageFiles;
  readonly #stamps: FileStamps;
  /** By the place of the stage. */
  readonly #written = new Map<string, string>();

  constructor(files: StageFiles, stamps: FileStamps) {
    this.#files = files;
    this.#stamps = stamps;
  }

  write(stage: string, text: string): void {
    if (this.#written.get(stage) === text) return;
    this.#files.write(stage, statusFileName, text);
    this.#remember(stage, text);
  }

  /** The status of a stage, if it is not as the engine wrote it; a program may have left one that nobody can read. */
  readForeign(stage: string): string | UnreadableFile | undefined {
    const text = this.#written.get(stage);
    const file = this.#files.fileOf(stage, statusFileName);
    if (text !== undefined && this.#stamps.isUnchanged(file)) return undefined;
    const found = this.#files.read(stage, statusFileName);
    if (found === text) {
      this.#stamps.remember(file);
      return undefined;
    }
    this.forget(stage);
    return found;
  }

  /**
   * To be called before an attempt, so that no old status speaks for it (SEMANTICS 59b).
   * @param mayBeSought whether the stage runs programs, which might look for the file: then it is removed
   */
  clear(stage: string, mayBeSought: boolean): void {
    if (!mayBeSought && this.#written.has(stage)) return;
    this.forget(stage);
    this.#files.remove(stage, statusFileName);
  }

  /** The file is another one now. */
  forget(stage: string): void {
    this.#written.delete(stage);
  }

  #remember(stage: string, text: string): void {
    this.#written.delete(stage);
    this.#written.set(stage, text);
    if (this.#written.size <= remembered) return;
    const [oldest] = this.#written.keys();
    if (oldest !== undefined) this.#written.delete(oldest);
  }
}
