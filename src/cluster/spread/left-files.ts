import path from 'node:path';
import type { FileSystem } from '../../run-directory/file-system.js';
import type { Collection, FileCollector } from '../files/collect-files.js';
import type { FileChange } from '../files/file-change.js';
import type { FileStore } from '../files/file-store.js';
import { FileTree } from '../files/file-tree.js';
import { writeFiles } from '../files/write-files.js';
import type { LeftFiles } from './stage-queue.js';

/** Directory of a stage in the directory of the run that was submitted. */
export interface StagePlace {
  /** Directory of its run; empty for the run that was submitted. */
  readonly run: string;
  /** Path of the stage there. */
  readonly stage: string;
}

/** Files that an attempt has left in the directory of its stage, so far. */
export class StageFileLog {
  readonly #collector: Pick<FileCollector, 'collect'>;
  readonly #place: StagePlace;
  readonly #left: LeftFileTree;
  /** Changes that no step has. */
  #changes: FileChange[] = [];

  /** @param tree files of the run as they were, which change with what is collected */
  constructor(collector: Pick<FileCollector, 'collect'>, tree: FileTree, place: StagePlace) {
    this.#collector = collector;
    this.#place = place;
    this.#left = new LeftFileTree(tree);
  }

  /** Takes over what an earlier execution of the attempt has left. */
  begin(left: LeftFiles): void {
    this.#left.begin(left);
  }

  /** Stores what is new. @returns all that the attempt has left, and warnings about what could not be stored */
  async collect(): Promise<{ readonly left: LeftFiles; readonly warnings: Collection['warnings'] }> {
    const { run, stage } = this.#place;
    const { changes, warnings } = await this.#collector.collect({
      stages: new Map([[run, new Set([stage])]]),
      begun: new Set(),
    });
    const below = run === '' ? `${stage}/` : `${run}/${stage}/`;
    for (const change of changes)
      if (change.path.startsWith(below)) this.#changes.push(...this.#left.apply(change));
    return { left: this.#left.all, warnings };
  }

  /** Takes the changes since the last call: with those before, and what it has begun with, they make all that is left. */
  takeChanges(): readonly FileChange[] {
    return this.#changes.splice(0);
  }
}

/** Files that an attempt has left in a tree of files. */
class LeftFileTree {
  readonly #tree: FileTree;
  readonly #changed = new Set<string>();
  readonly #removed = new Set<string>();

  constructor(tree: FileTree) {
    this.#tree = tree;
  }

  /** A file may be where a directory was that is gone, and the other way round. */
  begin({ files, removed }: LeftFiles): void {
    for (const change of [...removed.map(removal), ...changesOf(files)]) this.apply(change);
  }

  /** @returns the same as changes that need no file but those that the attempt has left */
  apply(change: FileChange): readonly FileChange[] {
    const { path: place, kind } = change;
    const isAlone = this.#changed.has(place) || !(kind === 'stored' && change.isAdded);
    this.#tree.apply(change);
    this.#removed.delete(place);
    this.#changed.delete(place);
    (kind === 'removed' ? this.#removed : this.#changed).add(place);
    return isAlone && kind !== 'same' ? [change] : changesOf(this.#filesAt([place]));
  }

  get all(): LeftFiles {
    return { files: this.#filesAt(this.#changed), removed: [...this.#removed] };
  }

  #filesAt(places: Iterable<string>): LeftFiles['files'] {
    return [...places].flatMap((place) => {
      const file = this.#tree.file(place);
      return file === undefined ? [] : [[place, file] as const];
    });
  }
}

/** Files that an attempt has left after changes. @param before undefined if it had left none */
export function leftAfter(
  before: LeftFiles | undefined,
  changes: readonly FileChange[],
): LeftFiles | undefined {
  if (changes.length === 0) return before;
  const left = new LeftFileTree(new FileTree());
  if (before !== undefined) left.begin(before);
  for (const change of changes) left.apply(change);
  return left.all;
}

/** Writes what an attempt has left into another directory of its run. @throws Error if contents cannot be had */
export async function writeLeftFiles(
  { files, removed }: LeftFiles,
  {
    directory,
    fileSystem,
    store,
  }: { readonly directory: string; readonly fileSystem: FileSystem; readonly store: FileStore },
): Promise<void> {
  const tree = new FileTree();
  for (const change of changesOf(files)) tree.apply(change);
  for (const place of removed)
    if (tree.file(place) === undefined) removeAll(path.join(directory, place), fileSystem);
  const missing = await writeFiles({ directory, fileSystem, store, tree });
  const lost = missing.find(({ path: file }) => tree.file(file)?.kind === 'stored');
  if (lost !== undefined)
    throw new Error(`${lost.path}, which a stage has left, cannot be had: ${lost.reason}`);
}

/** Changes that make files of nothing. */
function changesOf(files: LeftFiles['files']): readonly FileChange[] {
  return files.flatMap(([place, file]): readonly FileChange[] => {
    if (file.kind === 'left_out') return [{ path: place, ...file }];
    return file.parts.map((part, index) => ({
      path: place,
      kind: 'stored',
      ...part,
      isAdded: index === 0 ? undefined : true,
    }));
  });
}

function removal(place: string): FileChange {
  return { path: place, kind: 'removed' };
}

function removeAll(place: string, fileSystem: FileSystem): void {
  if (fileSystem.stat(place)?.isDirectory() === true)
    for (const name of fileSystem.readdir(place)) removeAll(path.join(place, name), fileSystem);
  else fileSystem.rm(place);
}
