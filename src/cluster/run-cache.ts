import path from 'node:path';
import type { JournalEnd } from '../journal/journal.js';
import type { CachedDirectory } from '../run/cached-directory.js';
import { manifestOfCopy } from '../run-directory/copied-run.js';
import {
  discard,
  makeDirectory,
  makeDirectoryBelow,
  writeFileAtomically,
} from '../run-directory/durable-file.js';
import { type FileSystem, temporaryName, writeWhole } from '../run-directory/file-system.js';
import type { Lock } from '../run-directory/lock.js';
import { runFiles } from '../run-directory/run-files.js';
import { type LeaseCaller, leaseDirectory } from './directory-lease.js';
import { copyContents } from './files/copy-contents.js';
import type { FileStore } from './files/file-store.js';
import { removeOthers } from './files/remove-others.js';
import { type MissingFile, writeFiles } from './files/write-files.js';
import { journalSoFar, wholeJournal } from './journal-past.js';
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
  await writeJournal(directory, history.run, fileSystem, store);
  return writeAllButJournal(directory, history, fileSystem, store);
}

/** Makes all of a run directory but the journal of the run. @returns files that cannot be had */
async function writeAllButJournal(
  directory: string,
  history: RunHistory,
  fileSystem: FileSystem,
  store: FileStore,
): Promise<readonly MissingFile[]> {
  writeRun(directory, history.run, fileSystem);
  for (const [place, child] of history.children) {
    const below = makeDirectoryBelow(directory, place, fileSystem);
    await writeJournal(below, child, fileSystem, store);
    writeRun(below, child, fileSystem);
  }
  const { files: tree } = history;
  const isChildRun = (place: string): boolean => history.children.has(place);
  removeOthers({ directory, fileSystem, root: tree.root, isChildRun });
  return writeFiles({ directory, fileSystem, store, tree });
}

function writeRun(
  directory: string,
  { pipeline, manifest }: Pick<HistoricRun, 'pipeline' | 'manifest'>,
  fileSystem: FileSystem,
): void {
  // The checkpoint of a dead worker may be ahead of its records.
  for (const name of [runFiles.checkpoint, runFiles.result]) discard(path.join(directory, name), fileSystem);
  writeFileAtomically(path.join(directory, runFiles.pipeline), pipeline, fileSystem);
  writeFileAtomically(path.join(directory, runFiles.manifest), manifestOfCopy(manifest), fileSystem);
}

/**
 * Writes the journal of a run in place of an old one, to which a worker that was frozen would append.
 * @param checkOwner throws where the directory belongs to somebody else by now
 */
async function writeJournal(
  directory: string,
  journal: Pick<HistoricRun, 'past' | 'events'>,
  fileSystem: FileSystem,
  store: Pick<FileStore, 'get'>,
  checkOwner: () => void = () => undefined,
): Promise<JournalEnd> {
  const file = path.join(directory, runFiles.journal);
  // With a name of its own: files with temporary names are removed when the run begins.
  const unfinished = `${temporaryName(file)}.part`;
  const descriptor = fileSystem.open(unfinished, 'wx');
  try {
    let size = 0;
    try {
      const pieces = wholeJournal(journal, store);
      for (;;) {
        const piece = await pieces.next();
        checkOwner();
        if (piece.done) {
          fileSystem.fsync(descriptor);
          fileSystem.rename(unfinished, file);
          return { size, hash: piece.value, torn: 0 };
        }
        const bytes = Buffer.from(piece.value);
        writeWhole(descriptor, bytes, fileSystem);
        size += bytes.length;
      }
    } finally {
      fileSystem.close(descriptor);
    }
  } catch (error) {
    discard(unfinished, fileSystem);
    throw error;
  }
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
    return { lock, ...(await renew(place, history, lock, caller)) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function renew(
  place: RunPlace,
  history: RunHistory,
  lock: Lock,
  { isWanted }: LeaseCaller,
): Promise<Omit<CachedDirectory, 'lock'>> {
  const { directory, fileSystem, store, sharedFiles } = place;
  if (history.isNewFork && sharedFiles !== undefined) await copyContents(history.files, sharedFiles, store);
  // Whoever leases the directory has those below it too.
  for (const child of history.children.keys())
    discard(path.join(directory, child, runFiles.lock), fileSystem);
  const missing = await writeAllButJournal(directory, history, fileSystem, store);
  const lost = missing.filter(({ path: file }) => history.files.file(file)?.kind === 'stored');
  if (lost.length > 0) throw new Error(lostFiles(lost));
  const { run } = history;
  const soFar = await journalSoFar(run, store);
  // Readers of the directory must not take an old one for that of the run.
  discard(path.join(directory, runFiles.journal), fileSystem);
  const end = writeJournal(directory, run, fileSystem, store, () => {
    lock.check();
    if (!isWanted()) throw new Error('the run leaves this worker');
  });
  // A young run waits for it: the file is whole before anything happens.
  return { ...soFar, end: run.past.parts.length === 0 ? await end : end };
}
