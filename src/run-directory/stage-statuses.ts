import type { FileStamps } from './file-stamps.js';
import type { UnreadableFile } from './obstruction.js';
import type { StageFiles } from './stage-files.js';
import { statusFileName } from './stage-path.js';

/** Maximum of remembered files: those of the stages that a run repeats. */
const remembered = 1000;

/**
 * `status.json` of the stages of a run (§5.6), with the content that the engine itself wrote last. A stage
 * that ends as before needs no new file, and an unchanged file says nothing about the attempt; creating and
 * removing files takes longer than the rest of a short stage.
 */
export class StageStatuses {
  readonly #files: StageFiles;
  readonly #stamps: FileStamps;
  /** Written content by the path of the stage. */
  readonly #written = new Map<string, string>();
  /** Contents that are not in a file yet, by the path of the stage; undefined if each is written at once. */
  #held: Map<string, string> | undefined;

  /**
   * @param isCache true if the directory of the run is a copy of what is kept elsewhere: then a stage that leaves no files gets its
   * status only when others learn where it would be, if they ever do
   */
  constructor(files: StageFiles, stamps: FileStamps, isCache = false) {
    this.#files = files;
    this.#stamps = stamps;
    if (!isCache) return;
    this.#held = new Map();
    files.beforeExposed(() => this.#writeHeld());
  }

  write(stage: string, text: string): void {
    if (this.#written.get(stage) === text && this.#held?.has(stage) !== true) return;
    if (this.#held === undefined || this.#files.hasDirectory(stage)) {
      this.#held?.delete(stage);
      this.#files.write(stage, statusFileName, text);
    } else this.#held.set(stage, text);
    this.#remember(stage, text);
  }

  /** Status of a stage, unless it is as the engine wrote it; a program may have left an unreadable one. */
  readForeign(stage: string): string | UnreadableFile | undefined {
    if (this.#held?.has(stage) === true && !this.#files.hasDirectory(stage)) return undefined;
    const text = this.#written.get(stage);
    const file = this.#files.fileOf(stage, statusFileName);
    if (text !== undefined && this.#stamps.isUnchanged(file)) return undefined;
    const found = this.#files.read(stage, statusFileName);
    // As after nearly every program.
    if (found === undefined && text === undefined) return undefined;
    if (found === text) {
      this.#stamps.remember(file);
      return undefined;
    }
    this.forget(stage);
    return found;
  }

  /**
   * Removes an old status before an attempt, so that it does not count for it (SEMANTICS 59b).
   * @param mayBeSought true if the stage runs programs, which might look for the file; otherwise one that
   * the engine wrote may stay, because it is recognized
   */
  clear(stage: string, mayBeSought: boolean): void {
    if (!mayBeSought && this.#written.has(stage)) return;
    this.forget(stage);
    this.#files.remove(stage, statusFileName);
  }

  /** Forgets the written content, because the file is another one now. */
  forget(stage: string): void {
    this.#written.delete(stage);
    this.#held?.delete(stage);
  }

  #writeHeld(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const [stage, text] of held) this.#files.write(stage, statusFileName, text);
  }

  #remember(stage: string, text: string): void {
    this.#written.delete(stage);
    this.#written.set(stage, text);
    if (this.#written.size <= remembered) return;
    const [oldest] = this.#written.keys();
    if (oldest !== undefined) this.#written.delete(oldest);
  }
}
