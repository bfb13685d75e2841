import path from 'node:path';
import type { CachedDirectory } from '../run/cached-directory.js';
import { manifestOfCopy } from '../run-directory/copied-run.js';
import {
  discard,
  makeDirectory,
  makeDirectoryBelow,
  writeFileAtomically,
} from '../run-directory/durable-file.js';
import type { FileSystem } from '../run-directory/file-system.js';
import { runFiles } from '../run-directory/run-files.js';
import { type LeaseCaller, leaseDirectory } from './directory-lease.js';
import { copyContents } from './files/copy-contents.js';
import type { FileStore } from './files/file-store.js';
import { removeOthers } from './files/remove-others.js';
import { type MissingFile, writeFiles } from './files/write-files.js';
import { wholeJournal } from './journal-past.js';
import { lostFiles } from './refusals.js';
import type { HistoricRun, RunHistory } from './run-history.js';

/**
 * Makes a run directory say what the history of a run says, with all files of its stages, so that everything which reads run directories
 * works on it: the run can be resumed there, shown, reported (SEMANTICS 142). Whatever else stages have left there is removed.
 */
export async function writeRunDirectory(
  directory: string,
  history: RunHistory,
  fileSystem: FileSystem,
  store: FileStore,
): Promise<WrittenDirectory> {
  makeDirectory(path.resolve(directory), fileSystem);
  const hash = await writeRun(directory, history.run, fileSystem, store);
  for (const [place, child] of history.children)
    await writeRun(makeDirectoryBelow(directory, place, fileSystem), child, fileSystem, store);
  const { files: tree } = history;
  const isChildRun = (place: string): boolean => history.children.has(place);
  removeOthers({ directory, fileSystem, root: tree.root, isChildRun });
  return { hash, missing: await writeFiles({ directory, fileSystem, store, tree }) };
}

interface WrittenDirectory {
  /** Hash of the last line of its journal; empty without any. */
  readonly hash: string;
  /** Files that cannot be had. */
  readonly missing: readonly MissingFile[];
}

/** @returns the hash of the last line of the journal */
async function writeRun(
  directory: string,
  { pipeline, manifest, ...journal }: HistoricRun,
  fileSystem: FileSystem,
  store: Pick<FileStore, 'get'>,
): Promise<string> {
  // The checkpoint of a dead worker may be ahead of its records.
  for (const name of [runFiles.checkpoint, runFiles.result]) discard(path.join(directory, name), fileSystem);
  const { pieces, hash } = await wholeJournal(journal, store);
  // In place of the old file: a worker that was frozen would append to that one.
  writeFileAtomically(path.join(directory, runFiles.journal), pieces, fileSystem);
  writeFileAtomically(path.join(directory, runFiles.pipeline), pipeline, fileSystem);
  writeFileAtomically(path.join(directory, runFiles.manifest), manifestOfCopy(manifest), fileSystem);
  return hash;
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
 * Makes the run directory on a worker that drives the run, and leases it.
 * @returns undefined if it is not wanted any more
 * @throws Error if files cannot be had: stages would not find what earlier ones have left
 */
export async function takeOverDirectory(
  place: RunPlace,
  history: RunHistory,
  caller: LeaseCaller,
): Promise<CachedDirectory | undefined> {
  const { directory, fileSystem } = place;
  const lock = await leaseDirectory(directory, fileSystem, caller);
  if (lock === undefined) return undefined;
  try {
    return { lock, seq: history.view.seq, hash: await renew(place, history) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** @returns the hash of the last line of the journal */
async function renew(place: RunPlace, history: RunHistory): Promise<string> {
  const { directory, fileSystem, store, sharedFiles } = place;
  if (history.isNewFork && sharedFiles !== undefined) await copyContents(history.files, sharedFiles, store);
  // Whoever leases the directory has those below it too.
  for (const child of history.children.keys())
    discard(path.join(directory, child, runFiles.lock), fileSystem);
  const { hash, missing } = await writeRunDirectory(directory, history, fileSystem, store);
  const lost = missing.filter(({ path: file }) => history.files.file(file)?.kind === 'stored');
  if (lost.length > 0) throw new Error(lostFiles(lost));
  return hash;
}
