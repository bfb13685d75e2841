import path from 'node:path';
import type { FileSystem } from '../../run-directory/file-system.js';
import { runFiles } from '../../run-directory/run-files.js';
import type { Directory } from './file-tree.js';

/** Entries of the directory of a run that are not files of its stages. */
const ownEntries: ReadonlySet<string> = new Set([
  runFiles.pipeline,
  runFiles.manifest,
  runFiles.journal,
  runFiles.checkpoint,
  runFiles.result,
  runFiles.lock,
  runFiles.tools,
  runFiles.questions,
  runFiles.workTree,
  runFiles.branchWorkTrees,
]);

export interface CachedRun {
  readonly directory: string;
  readonly fileSystem: FileSystem;
  readonly root: Directory;
  /** True for the directory of a child run with a history of its own, relative to the run directory. */
  isChildRun(place: string): boolean;
}

/**
 * Removes what stages have left in a run directory without its being recorded, by a worker that died, or before the run
 * continued elsewhere: a stage must not find more than it would in an empty directory.
 */
export function removeOthers(run: CachedRun): void {
  removeBelow(run, '', run.root);
}

function removeBelow(run: CachedRun, place: string, known: Directory | undefined): void {
  const { directory, fileSystem, isChildRun } = run;
  const isRun = place === '' || isChildRun(place);
  for (const name of fileSystem.readdir(path.join(directory, place))) {
    if (isRun && (ownEntries.has(name) || name.startsWith(`${runFiles.lock}.`))) continue;
    const inner = place === '' ? name : `${place}/${name}`;
    const isDirectory = fileSystem.stat(path.join(directory, inner))?.isDirectory() === true;
    if (isDirectory) removeBelow(run, inner, known?.directories.get(name));
    else if (known?.files.has(name) !== true) fileSystem.rm(path.join(directory, inner));
  }
}
