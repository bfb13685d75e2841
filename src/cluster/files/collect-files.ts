import path from 'node:path';
import { isRealDirectoryBelow, isTemporaryName } from '../../run-directory/durable-file.js';
import type { FileStatus, FileSystem } from '../../run-directory/file-system.js';
import { codeOf, isTooLong } from '../../run-directory/obstruction.js';
import { describeSystemError } from '../../run-directory/run-error.js';
import { runFiles } from '../../run-directory/run-files.js';
import { isOfOthers, statusFileName } from '../../run-directory/stage-path.js';
import type { FileChange } from './file-change.js';
import { type Content, contentOf, type FileStore, largestFile, storedTogether } from './file-store.js';
import type { Directory, FileTree, KnownFile } from './file-tree.js';
import { hasBeginning, isContent } from './known-content.js';
import { oneAtATime } from './one-at-a-time.js';

export interface CollectorOptions {
  /** The run directory. */
  readonly directory: string;
  readonly fileSystem: FileSystem;
  readonly store: FileStore;
  /** Files as the history of the run knows them; it changes when a collection is recorded. */
  readonly tree: FileTree;
  /** True for the directory of a child run with a history of its own. */
  isChildRun(place: string): boolean;
}

/** Places where files may have changed. All are relative to the run directory, which is the empty one itself. */
export interface ChangedPlaces {
  /** Paths of stages, in the directory of their run, by that directory. */
  readonly stages: ReadonlyMap<string, ReadonlySet<string>>;
  /** Directories of child runs that have begun: nothing there is of an earlier one. */
  readonly begun: ReadonlySet<string>;
}

/** Files that were stored. */
export interface Collection {
  readonly changes: readonly FileChange[];
  readonly warnings: readonly FileWarning[];
}

export interface FileWarning {
  readonly path: string;
  readonly message: string;
}

/** Directories of a run, and a file, that all its stages share. */
const shared = [runFiles.artifacts, runFiles.sessions, runFiles.recordedOutputs, runFiles.recording];

/** Entries of the directory of a run that end with its process, or that its commits have. */
const notKept: ReadonlySet<string> = new Set([
  runFiles.lock,
  runFiles.tools,
  runFiles.questions,
  runFiles.workTree,
  runFiles.branchWorkTrees,
]);

/** Bytes of a file from which on what is added to it is stored alone. */
const smallFile = 16 * 1024;

/** Milliseconds after which another change of a file shows in its times. */
const grainMs = 2500;

/** One for the process: several large files in memory would be too many. */
const largeFile = oneAtATime();

/**
 * Stores what stages have left in a run directory, before their outcome is recorded (SEMANTICS 142). Only the directories of these
 * stages are looked at, so that the cost of a step does not depend on the age of the run.
 */
export class FileCollector {
  readonly #options: CollectorOptions;
  /** Status of files whose content is known to be that of the tree. */
  readonly #stamps = new Map<string, FileStatus>();
  /** Hashes of contents that are in the store. */
  readonly #stored = new Set<string>();
  #begun: ReadonlySet<string> = new Set();

  constructor(options: CollectorOptions) {
    this.#options = options;
    for (const [, file] of options.tree.entries())
      if (file.kind === 'stored') for (const { sha256 } of file.parts) this.#stored.add(sha256);
  }

  /** @throws whatever the store throws; what was stored before does no harm */
  async collect(places: ChangedPlaces): Promise<Collection> {
    this.#begun = places.begun;
    for (const place of this.#stamps.keys()) if (this.#isNew(place)) this.#stamps.delete(place);
    try {
      return await this.#collect(places);
    } catch (error) {
      this.#stamps.clear();
      throw error;
    }
  }

  async #collect(places: ChangedPlaces): Promise<Collection> {
    const found: FoundFiles = { files: [], removed: [] };
    for (const [run, stages] of places.stages) {
      const below = (name: string): string => (run === '' ? name : `${run}/${name}`);
      for (const name of shared) this.#lookAtShared(below(name), found);
      for (const stage of stages) this.#look(below(stage), 'stage', found);
    }
    // A stage that begins a child has moved what its earlier visit has left, of which the history has that child there until now.
    for (const child of places.begun) this.#look(path.posix.dirname(child), 'stage', found);
    const storing = new Storing(this.#options.store, this.#stored);
    const warnings: FileWarning[] = [];
    const changes: FileChange[] = [];
    for (const file of found.files) {
      const change = await this.#changeOf(file, storing);
      if (change === undefined) continue;
      changes.push(change);
      if (change.kind === 'left_out') warnings.push({ path: file.place, message: notStored(change) });
    }
    await storing.finish();
    // A file may have been moved: first what names it as it was.
    for (const place of found.removed) changes.push({ path: place, kind: 'removed' });
    return { changes, warnings };
  }

  /** Most runs have none of them. */
  #lookAtShared(place: string, found: FoundFiles): void {
    const status = this.#statusOf(place);
    if (status?.isFile() === true) this.#lookAtFile(place, status, found);
    if (status !== undefined || this.#options.tree.directory(place) !== undefined)
      this.#look(place, 'inner', found);
  }

  /** Finds files that may have changed, and those that are gone. */
  #look(place: string, kind: 'stage' | 'inner', found: FoundFiles): void {
    const { tree } = this.#options;
    const known = this.#isNew(place) ? undefined : tree.directory(place);
    const names = this.#namesIn(place);
    if (names === undefined && known === undefined) return;
    const isRun = names?.includes(runFiles.manifest) === true;
    const isThere = new Set<string>();
    const newest = Math.max(...(names ?? []).map(visitOf));
    // Those of earlier visits come first: they may be files that this visit has replaced.
    for (const name of names?.toSorted(visitsFirst) ?? []) {
      if (isTemporaryName(name) || (isRun && isOfProcess(name))) continue;
      isThere.add(name);
      if (kind === 'stage' && isOfOther(name, known, newest)) continue;
      this.#lookAt(`${place}/${name}`, found);
    }
    for (const name of [...(known?.files.keys() ?? []), ...(known?.directories.keys() ?? [])])
      if (!isThere.has(name)) found.removed.push(`${place}/${name}`);
  }

  #lookAt(place: string, found: FoundFiles): void {
    const status = this.#statusOf(place);
    if (status?.isDirectory() === true) {
      if (!this.#options.isChildRun(place) && !this.#begun.has(place)) this.#look(place, 'inner', found);
    } else if (status?.isFile() === true) this.#lookAtFile(place, status, found);
  }

  #lookAtFile(place: string, status: FileStatus, found: FoundFiles): void {
    if (!isSame(status, this.#stamps.get(place))) found.files.push({ place, status });
  }

  /** @returns undefined if the file is as the history knows it */
  async #changeOf({ place, status }: FoundFile, storing: Storing): Promise<FileChange | undefined> {
    const known = this.#isNew(place) ? undefined : this.#options.tree.file(place);
    if (status.size > largestFile) return leftOut(place, known, status.size, tooLarge(status.size));
    if (status.size <= storedTogether) return this.#store(place, known, status, storing);
    return largeFile(async () => {
      const change = await this.#store(place, known, status, storing);
      await storing.finish();
      return change;
    });
  }

  async #store(
    place: string,
    known: KnownFile | undefined,
    status: FileStatus,
    storing: Storing,
  ): Promise<FileChange | undefined> {
    const bytes = this.#read(place);
    if (bytes === undefined) return undefined;
    if (typeof bytes === 'string') return leftOut(place, known, status.size, bytes);
    this.#note(place, status);
    if (known?.kind === 'stored' && isContent(bytes, known)) return undefined;
    const moved = movedFrom(place);
    const before = moved === undefined || this.#isNew(moved) ? undefined : this.#options.tree.file(moved);
    if (moved !== undefined && before?.kind === 'stored' && isContent(bytes, before))
      return { path: place, kind: 'same', as: moved };
    const isAdded = known?.kind === 'stored' && known.size >= smallFile && hasBeginning(bytes, known);
    const content = contentOf(isAdded ? bytes.subarray(known.size) : bytes);
    await storing.add(content);
    const { sha256 } = content;
    const size = content.bytes.length;
    return { path: place, kind: 'stored', sha256, size, isAdded: isAdded || undefined };
  }

  /** @returns undefined if it is gone, the reason if it cannot be read */
  #read(place: string): Uint8Array | string | undefined {
    try {
      return this.#options.fileSystem.readFile(this.#pathOf(place), largestFile);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      return isTooLong(error) ? 'it has grown while it was read' : describeSystemError(error);
    }
  }

  #note(place: string, status: FileStatus): void {
    const isSure = Math.max(status.mtimeMs, status.ctimeMs) + grainMs < Date.now();
    // An archive is looked at again.
    if (isSure && movedFrom(place) === undefined) this.#stamps.set(place, status);
    else this.#stamps.delete(place);
  }

  /** @returns undefined if it is not a directory, or reached by a link */
  #namesIn(place: string): readonly string[] | undefined {
    const { directory, fileSystem } = this.#options;
    try {
      if (!isRealDirectoryBelow(directory, place, fileSystem)) return undefined;
      return fileSystem.readdir(this.#pathOf(place)).filter(isUsual);
    } catch {
      return undefined;
    }
  }

  #statusOf(place: string): FileStatus | undefined {
    try {
      return this.#options.fileSystem.stat(this.#pathOf(place));
    } catch {
      return undefined;
    }
  }

  #isNew(place: string): boolean {
    for (const run of this.#begun) if (place.startsWith(`${run}/`)) return true;
    return false;
  }

  #pathOf(place: string): string {
    return path.join(this.#options.directory, place);
  }
}

interface FoundFile {
  readonly place: string;
  /** Status before the content is read: a change that comes meanwhile is found the next time. */
  readonly status: FileStatus;
}

interface FoundFiles {
  readonly files: FoundFile[];
  readonly removed: string[];
}

/** Contents on their way into the store, several in one call. */
class Storing {
  readonly #store: FileStore;
  readonly #stored: Set<string>;
  #waiting = new Map<string, Content>();
  #size = 0;

  constructor(store: FileStore, stored: Set<string>) {
    this.#store = store;
    this.#stored = stored;
  }

  async add(content: Content): Promise<void> {
    if (this.#stored.has(content.sha256) || this.#waiting.has(content.sha256)) return;
    this.#waiting.set(content.sha256, content);
    this.#size += content.bytes.length;
    if (this.#size >= storedTogether) await this.finish();
  }

  async finish(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const contents = [...this.#waiting.values()];
    this.#waiting = new Map();
    this.#size = 0;
    await this.#store.put(contents);
    for (const { sha256 } of contents) this.#stored.add(sha256);
  }
}

function leftOut(
  place: string,
  known: KnownFile | undefined,
  size: number,
  reason: string,
): FileChange | undefined {
  const isTold = known?.kind === 'left_out' && known.size === size && known.reason === reason;
  return isTold ? undefined : { path: place, kind: 'left_out', size, reason };
}

function tooLarge(size: number): string {
  return `it has ${size} bytes, and at most ${largestFile} are stored`;
}

function notStored({ path: place, reason }: Extract<FileChange, { kind: 'left_out' }>): string {
  return `the file ${place} of the run directory is not stored, and is missing if another worker continues: ${reason}`;
}

/** Place of a file of an earlier visit at the time of that visit. */
function movedFrom(place: string): string | undefined {
  const moved = place.replace(/(^|\/)visit-[0-9]+\//, '$1');
  return moved === place ? undefined : moved;
}

/** Number of the visit whose files are in a directory of that name; 0 for any other. */
function visitOf(name: string): number {
  return isOfOthers(name) && name.startsWith('visit-') ? Number(name.slice('visit-'.length)) : 0;
}

function visitsFirst(one: string, other: string): number {
  return Math.sign(visitOf(other)) - Math.sign(visitOf(one));
}

/** Visits whose files may still change: the latest, and the one before, to which results of branches come later. */
const unsettled = 2;

/**
 * True for an entry in the directory of a stage that its own visits do not change: branches, earlier visits, and the status, which
 * follows from the history.
 */
function isOfOther(name: string, known: Directory | undefined, newest: number): boolean {
  if (name === statusFileName) return true;
  const visit = visitOf(name);
  if (visit === 0) return isOfOthers(name);
  return visit <= newest - unsettled && known?.directories.has(name) === true;
}

function isOfProcess(name: string): boolean {
  return notKept.has(name) || name.startsWith(`${runFiles.lock}.`);
}

/** False for a name that not every system can have, or that Node cannot show. */
function isUsual(name: string): boolean {
  return !/[\\\0\ufffd]/.test(name);
}

function isSame(one: FileStatus, other: FileStatus | undefined): boolean {
  return (
    other !== undefined &&
    one.ino === other.ino &&
    one.size === other.size &&
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs
  );
}
