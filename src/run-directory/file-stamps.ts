import type { FileStatus, FileSystem } from './file-system.js';

/** Maximum of remembered files. */
const remembered = 2000;

/**
 * Milliseconds after which a change shows in the times of a file, on systems that count fractions and on
 * those that do not.
 */
const fineGrain = 50;
const coarseGrain = 2500;

/**
 * Remembers the stamps of files and directories, and checks if they are unchanged, in a quarter of the time
 * of reading them. A file that was changed a moment ago is not remembered, because a change in the same
 * moment would look the same; a file that was just written provides the time, so that no two clocks are
 * compared.
 */
export class FileStamps {
  readonly #fileSystem: FileSystem;
  readonly #now: () => number;
  readonly #stamps = new Map<string, FileStatus>();

  /** @param now milliseconds since 1970 by the clock of the file system; it may lag */
  constructor(fileSystem: FileSystem, now: () => number) {
    this.#fileSystem = fileSystem;
    this.#now = now;
  }

  /** Remembers the current stamp of a file. */
  remember(path: string): void {
    const stamp = this.#stampOf(path);
    if (stamp === undefined || !isOld(stamp, this.#now())) return this.forget(path);
    if (this.#stamps.size >= remembered) this.#stamps.clear();
    this.#stamps.set(path, stamp);
  }

  forget(path: string): void {
    this.#stamps.delete(path);
  }

  /** True if a file is as it was when it was remembered; false for one that was not. */
  isUnchanged(path: string): boolean {
    const before = this.#stamps.get(path);
    if (before === undefined) return false;
    const after = this.#stampOf(path);
    return (
      after !== undefined &&
      after.ino === before.ino &&
      after.size === before.size &&
      after.mtimeMs === before.mtimeMs &&
      after.ctimeMs === before.ctimeMs
    );
  }

  #stampOf(path: string): FileStatus | undefined {
    try {
      return this.#fileSystem.stat(path);
    } catch {
      // The next reader gets the error.
      return undefined;
    }
  }
}

function isOld({ mtimeMs, ctimeMs }: FileStatus, now: number): boolean {
  const grain = Number.isInteger(ctimeMs) ? coarseGrain : fineGrain;
  return Math.max(mtimeMs, ctimeMs) + grain < now;
}
