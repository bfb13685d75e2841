import path from 'node:path';
import type { FileReference } from '../graph/values/file-reference.js';
import { syncFile } from './durable-file.js';
import type { FileStamps } from './file-stamps.js';
import { type FileSystem, writeWhole } from './file-system.js';
import { codeOf, isObstruction, isTooLong, type UnreadableFile, unreadable } from './obstruction.js';
import { readReferenced } from './referenced-file.js';
import { describeSystemError } from './run-error.js';
import { attemptDirectory, attemptsKept, filesOfAttempt, isOfOthers, statusFileName } from './stage-path.js';
import { storageError, writing } from './storage-error.js';

/** Files that this process has put into a directory. */
interface Contents {
  readonly names: Set<string>;
  /**
   * True if this process created the directory and has moved nothing away yet: then there are no earlier
   * visits.
   */
  readonly isFirstVisit: boolean;
}

/**
 * Files of the stages of a run (§5.6). Programs work there too, and may leave anything: removed directories
 * are created again, and obstacles are renamed. Only a failing disk ends the run.
 */
export class StageFiles {
  readonly #root: string;
  readonly #fileSystem: FileSystem;
  readonly #stamps: FileStamps;
  readonly #isAlone: boolean;
  /** Stages whose directories were created; asking the system each time would be expensive. */
  readonly #made = new Set<string>();
  /** Contents of directories that this process created or emptied; those with unknown files are left out. */
  readonly #contents = new Map<string, Contents>();
  /** Paths that were exposed to others, who may put anything there, and below. */
  readonly #told = new Set<string>();
  readonly #beforeExposed: (() => void)[] = [];

  /**
   * @param root the run directory
   * @param fileSystem of the run directory
   * @param isAlone true if no other program can write to it: then the content of a directory is known, and
   * need not be searched among thousands of earlier visits, which would make each visit slower than the one
   * before
   */
  constructor(root: string, fileSystem: FileSystem, stamps: FileStamps, isAlone = false) {
    this.#root = root;
    this.#fileSystem = fileSystem;
    this.#stamps = stamps;
    this.#isAlone = isAlone;
  }

  /** @param stage its path in the run directory, or empty for the run directory itself */
  directoryOf(stage: string): string {
    return stage === '' ? this.#root : `${this.#root}${path.sep}${stage}`;
  }

  /** Like `directoryOf`, for other programs, which may put anything there; it may not exist yet. */
  exposeDirectory(stage: string): string {
    this.#told.add(stage);
    for (const prepare of this.#beforeExposed.splice(0)) prepare();
    return this.directoryOf(stage);
  }

  /** Calls a function before others learn of a directory for the first time. */
  beforeExposed(prepare: () => void): void {
    this.#beforeExposed.push(prepare);
  }

  /** True if the stage has a directory, whoever made it. */
  hasDirectory(stage: string): boolean {
    return this.#made.has(stage) || this.#isDirectory(this.directoryOf(stage));
  }

  /** Path of a file. Called at every visit: `path.join` would scan the run directory's path each time. */
  fileOf(stage: string, name: string): string {
    return `${this.#root}${path.sep}${stage}${path.sep}${name}`;
  }

  /** Ensures that the directory exists, whatever has happened to it meanwhile. */
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

  write(stage: string, name: string, text: string | Uint8Array): void {
    this.#put(stage, name, (file) => this.#fileSystem.writeFile(file, text));
  }

  /**
   * Appends to a file.
   * @param isDurable true to return when it is on the disk
   */
  append(stage: string, name: string, text: string, isDurable: boolean): void {
    this.#put(stage, name, (file) => {
      const isNew = isDurable && !this.#fileSystem.exists(file);
      const descriptor = this.#fileSystem.open(file, 'a');
      try {
        writeWhole(descriptor, Buffer.from(text), this.#fileSystem);
        if (isDurable) this.#fileSystem.fdatasync(descriptor);
      } finally {
        this.#fileSystem.close(descriptor);
      }
      if (isNew) syncFile(file, this.#fileSystem);
    });
  }

  /** Renames a file, or whatever has its name, as it renames obstacles. */
  setAside(stage: string, name: string): void {
    const file = this.fileOf(stage, name);
    writing(file, () => this.#clearTheWay(stage, file));
  }

  /** @returns a descriptor open for writing and reading; the file is empty */
  open(stage: string, name: string): number {
    return this.#put(stage, name, (file) => {
      this.#fileSystem.rm(file);
      return this.#fileSystem.open(file, 'wx+');
    });
  }

  /**
   * @returns undefined if there is no such file
   * @throws RunError `storage`
   */
  read(stage: string, name: string): string | UnreadableFile | undefined {
    const bytes = this.readBytes(stage, name);
    if (!(bytes instanceof Uint8Array)) return bytes;
    try {
      return bytes.toString('utf8');
    } catch (error) {
      return unreadable(this.fileOf(stage, name), describeSystemError(error));
    }
  }

  /**
   * @param limit bytes above which a file is refused
   * @returns undefined if there is no such file
   * @throws RunError `storage`
   */
  readBytes(stage: string, name: string, limit?: number): Buffer | UnreadableFile | undefined {
    const file = this.fileOf(stage, name);
    try {
      const found = this.#fileSystem.stat(file);
      if (found === undefined) return undefined;
      if (found.isDirectory()) return unreadable(file, 'it is a directory');
      return this.#fileSystem.readFile(file, limit);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      if (isObstruction(error) || isTooLong(error)) return unreadable(file, describeSystemError(error));
      throw storageError(file, 'read', error);
    }
  }

  /** @see readReferenced */
  readReferenced(reference: FileReference): string | undefined {
    return readReferenced(this.#root, reference, this.#fileSystem);
  }

  /** Makes a file durable that an event will refer to. */
  sync({ $file }: FileReference): void {
    const file = path.join(this.#root, $file);
    writing(file, () => {
      try {
        syncFile(file, this.#fileSystem);
      } catch (error) {
        // Whoever has removed it meanwhile has made it unreadable anyway.
        if (!isObstruction(error)) throw error;
      }
    });
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
   * Moves the files of a visit that has settled to `visit-<n>/`, if it left more than a status (SEMANTICS
   * 71a).
   * @returns true if the directory of the stage has been emptied
   */
  archiveVisit(stage: string, visit: number): boolean {
    const directory = this.directoryOf(stage);
    const known = this.#isTold(stage) ? undefined : this.#contents.get(directory);
    if (known?.isFirstVisit && isBare(known)) return false;
    // As long as the directory does not change, there is nothing more to move than last time.
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
   * Moves the prompt, the answer and the output of an attempt to `attempt-<n>/` (SEMANTICS 71b). The
   * directory of the oldest attempt becomes that of the latest once there are too many. If the directory
   * exists, because of a program or a process that was interrupted here, the files stay.
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
   * Moves files to an archive, the status last: as long as it is there, the files belong to a visit that
   * has settled.
   * @param known files to be moved, if known
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
    // An obstacle in place of the archive was renamed and is next to it now.
    if (isBegun) this.#contents.delete(directory);
    else this.#contents.set(directory, { names: new Set(), isFirstVisit: false });
    return true;
  }

  #namesIn(directory: string, known: Contents | undefined): readonly string[] {
    if (!this.#isAlone || known === undefined) return this.#fileSystem.readdir(directory);
    // Files may have been removed meanwhile.
    return [...known.names].filter((name) => this.#fileSystem.exists(path.join(directory, name)));
  }

  /**
   * Renames an archived file with another text, so that a newer one does not overwrite it: after a power
   * failure the journal may lack a visit whose files are archived already, and the next visit gets its
   * number.
   */
  #keepOlder(archived: string, newer: string): void {
    if (this.#fileSystem.exists(archived) && !this.#haveSameText(archived, newer)) this.#putAside(archived);
  }

  #haveSameText(one: string, other: string): boolean {
    const isFile = (file: string): boolean => this.#fileSystem.stat(file)?.isFile() ?? false;
    if (!isFile(one) || !isFile(other)) return false;
    return this.#fileSystem.readFile(one).equals(this.#fileSystem.readFile(other));
  }

  /** Performs an action on a file of a stage, and repeats it after removing obstacles. */
  #put<Result>(stage: string, name: string, action: (file: string) => Result): Result {
    const file = this.fileOf(stage, name);
    return writing(file, () => {
      try {
        if (!this.#made.has(stage) || !this.#isReal(stage)) this.makeDirectory(stage);
        // A pipe may never have a reader.
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

  /** Ensures that the directory exists, and has no entry of that name. */
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

  /**
   * Creates a directory without syncing: there are many, and losing one in a crash loses nothing.
   * @returns true if it is new
   */
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

  /**
   * Renames an entry to `<name>~1`, `<name>~2` and so on, which no stage is called, and which only listing
   * the directory finds.
   */
  #putAside(entry: string): void {
    this.#contents.delete(path.dirname(entry));
    for (let number = 1; ; number += 1) {
      const name = `${entry}~${number}`;
      if (!this.#fileSystem.exists(name)) return this.#fileSystem.rename(entry, name);
    }
  }

  /**
   * True if the directory of a stage and those above it are still directories, and not links that a program
   * has put there.
   */
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

function isBare({ names }: Contents): boolean {
  return names.size === 0 || (names.size === 1 && names.has(statusFileName));
}
