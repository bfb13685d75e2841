import path from 'node:path';
import type { FileStamps } from './file-stamps.js';
import type { FileSystem } from './file-system.js';
import { describeSystemError } from './run-error.js';
import { isOfOthers } from './stage-path.js';
import { storageError, writing } from './storage-error.js';

/** A file that is there, or might be, and cannot be read, although the disk is in order. */
export interface UnreadableFile {
  /** Which file, and why, in words. */
  readonly problem: string;
}

/** The file in which a stage says how it ended. */
export const statusFileName = 'status.json';

/** Files that an attempt writes under names of the engine, and that its next one would write over. */
const filesOfAttempt = [
  'prompt.md',
  'response.md',
  'stdout.log',
  'stderr.log',
  'agent-prompt.md',
  'agent-stdout.log',
  'agent-stderr.log',
];

/** Earlier attempts of a visit whose files are kept. */
const attemptsKept = 10;

/** What this process has put into a directory. */
interface Contents {
  readonly names: Set<string>;
  /** Whether this process made the directory and has moved nothing away yet: then there are no earlier visits. */
  readonly isFirstVisit: boolean;
}

/**
 * The files of the stages of a run (§5.6). Programs work there too, and may leave anything: what they removed is made
 * again, and what stands in the way is put aside under another name. Only a disk that fails ends the run.
 */
export class StageFiles {
  readonly #root: string;
  readonly #fileSystem: FileSystem;
  readonly #stamps: FileStamps;
  readonly #isAlone: boolean;
  /** Stages whose directories were there once; asking the system each time would be dear. */
  readonly #made = new Set<string>();
  /** Of directories that this process made or emptied; those with anything that it has no name for are left out. */
  readonly #contents = new Map<string, Contents>();
  /** Places of which others were told: they may put anything there, and below. */
  readonly #told = new Set<string>();

  /**
   * @param root the run directory @param fileSystem that of the run directory
   * @param isAlone whether nobody else can put anything into it: then what is in a directory is known, and is not looked for
   * among thousands of earlier visits, which would make each visit dearer than the one before
   */
  constructor(root: string, fileSystem: FileSystem, stamps: FileStamps, isAlone = false) {
    this.#root = root;
    this.#fileSystem = fileSystem;
    this.#stamps = stamps;
    this.#isAlone = isAlone;
  }

  /** @param stage its place in the run directory, or nothing for that itself */
  directoryOf(stage: string): string {
    return stage === '' ? this.#root : `${this.#root}${path.sep}${stage}`;
  }

  /** The same, for others, who may put anything there; it may not exist yet. */
  exposeDirectory(stage: string): string {
    this.#told.add(stage);
    return this.directoryOf(stage);
  }

  /** Asked for at every visit: `path.join` would look at each character of the run directory. */
  fileOf(stage: string, name: string): string {
    return `${this.#root}${path.sep}${stage}${path.sep}${name}`;
  }

  /** The directory is there afterwards, whatever has become of it meanwhile. */
  makeDirectory(stage: string): void {
    const directory = this.directoryOf(stage);
    if (this.#made.has(stage) && this.#isReal(stage)) return;
    // A stage after a restart, or in a branch, has its directory below others.
    const above = path.posix.dirname(stage);
    if (above !== '.') this.makeDirectory(above);
    const isNew = writing(directory, () => this.#makePlainDirectory(directory));
    this.#made.add(stage);
    if (isNew) this.#contents.set(directory, { names: new Set(), isFirstVisit: true });
  }

  write(stage: string, name: string, text: string): void {
    this.#put(stage, name, (file) => this.#fileSystem.writeFile(file, text));
  }

  /** @returns a descriptor open for writing and reading; the file is empty */
  open(stage: string, name: string): number {
    return this.#put(stage, name, (file) => {
      this.#fileSystem.rm(file);
      return this.#fileSystem.open(file, 'wx+');
    });
  }

  /** @returns undefined where there is no such file @throws RunError `storage` */
  read(stage: string, name: string): string | UnreadableFile | undefined {
    const file = this.fileOf(stage, name);
    try {
      const found = this.#fileSystem.stat(file);
      if (found === undefined) return undefined;
      if (found.isDirectory()) return unreadable(file, 'it is a directory');
      return this.#fileSystem.readFile(file).toString('utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      if (isObstruction(error) || isTooLong(error)) return unreadable(file, describeSystemError(error));
      throw storageError(file, 'read', error);
    }
  }

  remove(stage: string, name: string): void {
    const file = this.fileOf(stage, name);
    if (!this.#fileSystem.exists(file)) return;
    writing(file, () => {
      try {
        this.#fileSystem.rm(file);
      } catch (error) {
        if (!isObstruction(error)) throw error;
        this.#clearTheWay(stage, file);
      }
    });
    this.#contents.get(this.directoryOf(stage))?.names.delete(name);
  }

  /**
   * Moves the files of a visit that has settled to `visit-<n>/`, if it left more than a status (SEMANTICS 71a).
   * @returns whether the directory of the stage has been emptied
   */
  archiveVisit(stage: string, visit: number): boolean {
    const directory = this.directoryOf(stage);
    const known = this.#isTold(stage) ? undefined : this.#contents.get(directory);
    if (known?.isFirstVisit && isBare(known)) return false;
    // As long as nothing comes or goes, there is nothing more to move than there was the last time.
    if (this.#stamps.isUnchanged(directory)) return false;
    return writing(directory, () => {
      try {
        const isMoved = this.#moveToArchive(directory, path.join(directory, `visit-${visit}`), known);
        if (isMoved) this.#stamps.forget(directory);
        else this.#stamps.remember(directory);
        return isMoved;
      } catch (error) {
        if (!isObstruction(error)) throw error;
        this.#replaceDirectory(stage);
        return true;
      }
    });
  }

  /**
   * Moves what an attempt was told, has answered and printed to `attempt-<n>/` (SEMANTICS 71b). The directory of the oldest attempt becomes that
   * of the latest once there are too many. Where the place is taken, as by a program or a process that was cut off here, the files stay.
   */
  archiveAttempt(stage: string, attempt: number): void {
    const fileSystem = this.#fileSystem;
    const directory = this.directoryOf(stage);
    const archive = path.join(directory, attemptDirectory(attempt));
    const oldest = path.join(directory, attemptDirectory(attempt - attemptsKept));
    writing(archive, () => {
      try {
        const left = filesOfAttempt.filter((name) => fileSystem.exists(path.join(directory, name)));
        if (left.length === 0 || fileSystem.exists(archive)) return;
        if (attempt > attemptsKept && this.#isDirectory(oldest)) {
          fileSystem.rename(oldest, archive);
          for (const name of filesOfAttempt) fileSystem.rm(path.join(archive, name));
        } else this.#makePlainDirectory(archive);
        for (const name of left) fileSystem.rename(path.join(directory, name), path.join(archive, name));
        const names = this.#contents.get(directory)?.names;
        for (const name of left) names?.delete(name);
        names?.add(attemptDirectory(attempt));
      } catch (error) {
        if (!isObstruction(error)) throw error;
        this.#contents.delete(directory);
      }
    });
  }

  /**
   * The status goes last: as long as it is there, the files belong to a visit that has settled.
   * @param known what is to be moved, where that is known
   */
  #moveToArchive(directory: string, archive: string, known: Contents | undefined): boolean {
    const fileSystem = this.#fileSystem;
    if (!fileSystem.exists(path.join(directory, statusFileName))) return false;
    const names = this.#namesIn(directory, known).filter((name) => !isOfOthers(name));
    const others = names.filter((name) => name !== statusFileName);
    const isBegun = fileSystem.exists(archive);
    if (others.length === 0 && !isBegun) return false;
    this.#makePlainDirectory(archive);
    for (const name of [...others, statusFileName]) {
      const archived = path.join(archive, name);
      try {
        if (isBegun) this.#keepOlder(archived, path.join(directory, name));
        fileSystem.rename(path.join(directory, name), archived);
      } catch (error) {
        throw isObstruction(error) ? error : storageError(archived, 'written', error);
      }
    }
    // What stood in the place of the archive is next to it now, under another name.
    if (isBegun) this.#contents.delete(directory);
    else this.#contents.set(directory, { names: new Set(), isFirstVisit: false });
    return true;
  }

  #namesIn(directory: string, known: Contents | undefined): readonly string[] {
    if (!this.#isAlone || known === undefined) return this.#fileSystem.readdir(directory);
    // Somebody may have tidied up.
    return [...known.names].filter((name) => this.#fileSystem.exists(path.join(directory, name)));
  }

  /**
   * A power failure may take a visit from the journal whose files are in the archive already; the visit that then gets its
   * number must not write over them.
   */
  #keepOlder(archived: string, newer: string): void {
    if (this.#fileSystem.exists(archived) && !this.#haveSameText(archived, newer)) this.#putAside(archived);
  }

  #haveSameText(one: string, other: string): boolean {
    const isFile = (file: string): boolean => this.#fileSystem.stat(file)?.isFile() ?? false;
    if (!isFile(one) || !isFile(other)) return false;
    return this.#fileSystem.readFile(one).equals(this.#fileSystem.readFile(other));
  }

  /** Does something with a file of a stage, and once more when its way has been cleared. */
  #put<Result>(stage: string, name: string, action: (file: string) => Result): Result {
    const file = this.fileOf(stage, name);
    return writing(file, () => {
      try {
        if (!this.#made.has(stage) || !this.#isReal(stage)) this.makeDirectory(stage);
        // Nobody may ever read from a pipe.
        if (this.#fileSystem.stat(file)?.isFile() === false) this.#putAside(file);
        return action(file);
      } catch (error) {
        if (!isObstruction(error)) throw error;
        this.#clearTheWay(stage, file);
        return action(file);
      } finally {
        this.#contents.get(this.directoryOf(stage))?.names.add(name);
      }
    });
  }

  /** Afterwards there is a directory, and nothing of that name in it. */
  #clearTheWay(stage: string, file: string): void {
    this.makeDirectory(stage);
    try {
      this.#putAside(file);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return;
      if (!isObstruction(error)) throw error;
      this.#replaceDirectory(stage);
    }
  }

  #replaceDirectory(stage: string): void {
    this.#made.delete(stage);
    this.#putAside(this.directoryOf(stage));
    this.makeDirectory(stage);
  }

  #isTold(stage: string): boolean {
    if (this.#told.size === 0) return false;
    for (let place = stage; place !== '.'; place = path.posix.dirname(place)) {
      if (this.#told.has(place)) return true;
    }
    return this.#told.has('');
  }

  /** Of directories there are many, and losing one in a crash loses nothing. @returns whether it is new */
  #makePlainDirectory(directory: string): boolean {
    try {
      this.#fileSystem.mkdir(directory);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      if (this.#isDirectory(directory)) return false;
      this.#putAside(directory);
      this.#fileSystem.mkdir(directory);
    }
    return true;
  }

  /** As `<name>~1`, `<name>~2` and so on, which no stage is called, and which only a look at the directory finds. */
  #putAside(entry: string): void {
    this.#contents.delete(path.dirname(entry));
    for (let number = 1; ; number += 1) {
      const name = `${entry}~${number}`;
      if (!this.#fileSystem.exists(name)) return this.#fileSystem.rename(entry, name);
    }
  }

  /** Whether the directory of a stage and those above it are directories still, and no links that a program has put there. */
  #isReal(stage: string): boolean {
    if (this.#isAlone) return this.#isDirectory(this.directoryOf(stage));
    for (let place = stage; place !== '.'; place = path.posix.dirname(place)) {
      if (!this.#isDirectory(this.directoryOf(place))) return false;
    }
    return true;
  }

  #isDirectory(directory: string): boolean {
    try {
      return this.#fileSystem.stat(directory)?.isDirectory() ?? false;
    } catch (error) {
      if (isObstruction(error)) return false;
      throw error;
    }
  }
}

function attemptDirectory(attempt: number): string {
  return `attempt-${attempt}`;
}

function isBare({ names }: Contents): boolean {
  return names.size === 0 || (names.size === 1 && names.has(statusFileName));
}

function unreadable(file: string, why: string): UnreadableFile {
  return { problem: `${file} cannot be read: ${why}` };
}

function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException | null)?.code;
}

/** What the system says where something else is in a place than there should be, or its owner has closed it. */
const obstructions: ReadonlySet<unknown> = new Set([
  ...[
    'ENOENT',
    'ENOTDIR',
    'ENOTFILE',
    'EISDIR',
    'EEXIST',
    'ENOTEMPTY',
    'EACCES',
    'EPERM',
    'ELOOP',
    'ENXIO',
    'ETXTBSY',
  ],
  // What Node says itself where it was to remove a file and found a directory.
  'ERR_FS_EISDIR',
]);

function isObstruction(error: unknown): boolean {
  return obstructions.has(codeOf(error));
}

/** Node puts no more than 2 GiB into a buffer, and no more than half a gigabyte into a text. */
function isTooLong(error: unknown): boolean {
  return codeOf(error) === 'ERR_FS_FILE_TOO_LARGE' || codeOf(error) === 'ERR_STRING_TOO_LONG';
}
