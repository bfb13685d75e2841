import path from 'node:path';
import type { CompileOptions } from '../compiler/compile.js';
import { makeDirectory } from '../run-directory/durable-file.js';
import { type FileSystem, nodeFileSystem } from '../run-directory/file-system.js';
import { acquireLock } from '../run-directory/lock.js';
import { readManifest } from '../run-directory/manifest.js';
import { RunError } from '../run-directory/run-error.js';
import { holdsRun, runFiles } from '../run-directory/run-files.js';
import type { ClusterRun } from './cluster.js';
import type { FileStore } from './files/file-store.js';
import type { MissingFile } from './files/write-files.js';
import { recordedViews } from './recorded-views.js';
import { writeRunDirectory } from './run-cache.js';

export interface PullOptions {
  /** Place of its files, if that is not the database. */
  readonly files?: FileStore | undefined;
  readonly fileSystem?: FileSystem | undefined;
  /** Language extensions of the pipelines. */
  readonly compileOptions?: CompileOptions | undefined;
  /** Called if checkpoint, result and the status of stages are left out, because a pipeline does not compile. */
  onWithoutViews?(): void;
}

/**
 * Makes a directory of a run in a cluster, as it was when it was read last, so that everything which reads run directories works on it
 * (SEMANTICS 142). A directory that holds the run already is brought up to date.
 * @returns files that cannot be had
 * @throws RunError `run_exists` if the directory holds anything else, `run_locked` if a process on this machine executes the run there
 */
export async function pullRun(
  { history, files }: Pick<ClusterRun, 'history' | 'files'>,
  directory: string,
  { files: store = files, fileSystem = nodeFileSystem, compileOptions, onWithoutViews }: PullOptions = {},
): Promise<readonly MissingFile[]> {
  checkPlace(directory, history.submission.runId, fileSystem);
  makeDirectory(path.resolve(directory), fileSystem);
  const lock = acquireLock(path.join(directory, runFiles.lock), fileSystem);
  try {
    const missing = await writeRunDirectory(directory, history, fileSystem, store);
    const views = recordedViews(fileSystem, compileOptions);
    const runs = [['', history.run] as const, ...history.children];
    const written = runs.map(([place, { pipeline }]) => views.write(path.join(directory, place), pipeline));
    if (written.includes(false)) onWithoutViews?.();
    return missing;
  } finally {
    lock.release();
  }
}

/** @throws RunError `run_exists` */
function checkPlace(directory: string, runId: string, fileSystem: FileSystem): void {
  if (holdsRun(directory, fileSystem)) {
    const found = readManifest(directory, fileSystem).run_id;
    if (found === runId) return;
    throw new RunError('run_exists', `${directory} holds another run, ${found}; name another directory`);
  }
  const { stat, readdir } = fileSystem;
  if (stat(directory)?.isDirectory() === true && readdir(directory).length > 0)
    throw new RunError('run_exists', `${directory} is not empty; name another directory`);
}
