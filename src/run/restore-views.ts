import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { JournalEnd } from '../journal/journal.js';
import type { RunState } from '../machine/state.js';
import { checkpointOf } from '../run-directory/checkpoint.js';
import { removeTemporaryFiles } from '../run-directory/durable-file.js';
import { type FileSystem, nodeFileSystem } from '../run-directory/file-system.js';
import { readCheckpoint } from '../run-directory/read-checkpoint.js';
import { runFiles } from '../run-directory/run-files.js';
import { restartDirectory } from '../run-directory/stage-path.js';
import { resultOf } from '../view/run-result.js';
import type { StageViews } from './driver/stage-views.js';
import { openRunDirectory } from './run-directory.js';

/**
 * Removes files that a crash left half-written, and writes those that it prevented after their event was in
 * the journal. Resuming writes a new checkpoint and a new result itself; a run that had ended, and may be
 * left alone, gets them here.
 * @param asRecorded true if the directory was made of what the events tell of (SEMANTICS 142)
 */
export function restoreViews(
  directory: string,
  journalEnd: JournalEnd | Promise<JournalEnd>,
  stageViews: StageViews,
  state: RunState,
  graphHash: string,
  fileSystem: FileSystem = nodeFileSystem,
  asRecorded = false,
): void {
  removeTemporaryFiles(directory, fileSystem);
  const artifacts = path.join(directory, runFiles.artifacts);
  if (fileSystem.stat(artifacts)?.isDirectory()) removeTemporaryFiles(artifacts, fileSystem);
  const store = openRunDirectory(directory, journalEnd, fileSystem);
  try {
    stageViews.restore(store.stages, asRecorded);
    if (state.restarts > 0) store.recordActiveDirectory(restartDirectory(state));
    if (state.endedAt === undefined) return;
    if (readCheckpoint(directory, fileSystem)?.seq !== state.seq)
      store.writeCheckpoint(checkpointOf(state, graphHash, state.endedAt));
    const result = resultOf(state, path.resolve(directory), state.endedAt);
    if (!isDeepStrictEqual(readJson(directory, runFiles.result, fileSystem), asJson(result)))
      store.writeResult(result);
  } finally {
    store.close();
  }
}

function asJson(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}

function readJson(directory: string, name: string, fileSystem: FileSystem): unknown {
  try {
    return JSON.parse(fileSystem.readFile(path.join(directory, name)).toString('utf8'));
  } catch {
    return undefined;
  }
}
