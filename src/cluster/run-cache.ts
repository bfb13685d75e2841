import path from 'node:path';
import { manifestOfCopy } from '../run-directory/copied-run.js';
import {
  discard,
  makeDirectory,
  makeDirectoryBelow,
  writeFileAtomically,
} from '../run-directory/durable-file.js';
import type { FileSystem } from '../run-directory/file-system.js';
import { runFiles } from '../run-directory/run-files.js';
import { copyContents } from './files/copy-contents.js';
import type { FileStore } from './files/file-store.js';
import { removeOthers } from './files/remove-others.js';
import { type MissingFile, writeFiles } from './files/write-files.js';
import { journalPieces } from './journal-past.js';
import { lostFiles } from './refusals.js';
import type { HistoricRun, RunHistory } from './run-history.js';

/**
 * Makes a run directory say what the history of a run says, with all files of its stages, so that everything which reads run directories
 * works on it: the run can be resumed there, shown, reported (SEMANTICS 142). Whatever else stages have left there is removed.
 * @returns files that cannot be had
 */
export async function writeRunDirectory(
  directory: string,
  history: RunHistory,
  fileSystem: FileSystem,
  store: FileStore,
): Promise<readonly MissingFile[]> {
  makeDirectory(path.resolve(directory), fileSystem);
  await writeRun(directory, history.run, fileSystem, store);
  for (const [place, child] of history.children)
    await writeRun(makeDirectoryBelow(directory, place, fileSystem), child, fileSystem, store);
  const { files: tree } = history;
  const isChildRun = (place: string): boolean => history.children.has(place);
  removeOthers({ directory, fileSystem, root: tree.root, isChildRun });
  return writeFiles({ directory, fileSystem, store, tree });
}

async function writeRun(
  directory: string,
  { pipeline, manifest, ...journal }: HistoricRun,
  fileSystem: FileSystem,
  store: Pick<FileStore, 'get'>,
): Promise<void> {
  // The checkpoint of a dead worker may be ahead of its records.
  for (const name of [runFiles.checkpoint, runFiles.result]) discard(path.join(directory, name), fileSystem);
  const pieces = await journalPieces(journal, store);
  // In place of the old file: a worker that was frozen would append to that one.
  writeFileAtomically(path.join(directory, runFiles.journal), pieces, fileSystem);
  writeFileAtomically(path.join(directory, runFiles.pipeline), pipeline, fileSystem);
  writeFileAtomically(path.join(directory, runFiles.manifest), manifestOfCopy(manifest), fileSystem);
}

/** Directory of a run on a worker. */
export interface RunPlace {
  readonly directory: string;
  readonly fileSystem: FileSystem;
  /** Where the files of the run outlive this worker. */
  readonly store: FileStore;
  /** Files of the run that a fork comes from. */
  readonly sharedFiles?: Pick<FileStore, 'get'> | undefined;
}

/**
 * Makes the run directory on a worker that takes a run over.
 * @throws Error if files cannot be had: stages would not find what earlier ones have left
 */
export async function takeOverDirectory(place: RunPlace, history: RunHistory): Promise<void> {
  const { directory, fileSystem, store, sharedFiles } = place;
  if (history.isNewFork && sharedFiles !== undefined) await copyContents(history.files, sharedFiles, store);
  // The database says who may continue, not the locks of a dead worker.
  for (const child of ['', ...history.children.keys()])
    discard(path.join(directory, child, runFiles.lock), fileSystem);
  const missing = await writeRunDirectory(directory, history, fileSystem, store);
  const lost = missing.filter(({ path: file }) => history.files.file(file)?.kind === 'stored');
  if (lost.length > 0) throw new Error(lostFiles(lost));
}
