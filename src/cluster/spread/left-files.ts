import path from 'node:path';
import type { FileSystem } from '../../run-directory/file-system.js';
import type { Collection, FileCollector } from '../files/collect-files.js';
import type { FileChange } from '../files/file-change.js';
import type { FileStore } from '../files/file-store.js';
import { FileTree } from '../files/file-tree.js';
import { writeFiles } from '../files/write-files.js';
import type { LeftFiles, StageStep } from './stage-queue.js';

/** Directory of a stage in the directory of the run that was submitted. */
export interface StagePlace {
  /** Directory of its run; empty for the run that was submitted. */
  readonly run: string;
  /** Path of the stage there. */
  readonly stage: string;
}

/** Files that an attempt has left in the directory of its stage, so far. */
export class StageFileLog {
  readonly #collector: FileCollector;
  readonly #tree: FileTree;
  readonly #place: StagePlace;
  readonly #changed = new Set<string>();
  readonly #removed = new Set<string>();

  /** @param tree files of the run as they were, which change with what is collected */
  constructor(collector: FileCollector, tree: FileTree, place: StagePlace) {
    this.#collector = collector;
    this.#tree = tree;
    this.#place = place;
  }

  /** Takes over what an earlier execution of the attempt has left. */
  begin({ files, removed }: LeftFiles): void {
    for (const change of [...changesOf(files), ...removed.map(removal)]) this.#note(change);
  }

  /** Stores what is new. @returns all that the attempt has left, and warnings about what could not be stored */
  async collect(): Promise<{ readonly left: LeftFiles; readonly warnings: Collection['warnings'] }> {
    const { run, stage } = this.#place;
    const { changes, warnings } = await this.#collector.collect({
      stages: new Map([[run, new Set([stage])]]),
      begun: new Set(),
    });
    const below = run === '' ? `${stage}/` : `${run}/${stage}/`;
    for (const change of changes) if (change.path.startsWith(below)) this.#note(change);
    return { left: this.#left, warnings };
  }

  #note(change: FileChange): void {
    this.#tree.apply(change);
    const isRemoved = change.kind === 'removed';
    this.#removed.delete(change.path);
    this.#changed.delete(change.path);
    (isRemoved ? this.#removed : this.#changed).add(change.path);
  }

  get #left(): LeftFiles {
    const files = [...this.#changed].flatMap((place) => {
      const file = this.#tree.file(place);
      return file === undefined ? [] : [[place, file] as const];
    });
    return { files, removed: [...this.#removed] };
  }
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

/** Files that an attempt has left by its latest step; undefined if it has left none. */
export function filesIn(steps: readonly StageStep[]): LeftFiles | undefined {
  return steps.findLast((step) => step.kind === 'files')?.files;
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
