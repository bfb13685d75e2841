import path from 'node:path';
import { journalText } from '../journal/journal.js';
import { discard, makeDirectory, writeFileAtomically } from '../run-directory/durable-file.js';
import type { FileSystem } from '../run-directory/file-system.js';
import { runFiles } from '../run-directory/run-files.js';
import type { HistoricRun, RunHistory } from './run-history.js';

/**
 * Makes the run directory say what the history of a run says, so that everything which reads run directories works on it: the run
 * can be resumed there, shown, reported. What an earlier worker has left of stages stays.
 */
export function writeRunDirectory(directory: string, history: RunHistory, fileSystem: FileSystem): void {
  writeRun(directory, history.run, fileSystem);
  for (const [place, child] of history.children) writeRun(path.join(directory, place), child, fileSystem);
}

function writeRun(
  directory: string,
  { pipeline, manifest, events }: HistoricRun,
  fileSystem: FileSystem,
): void {
  makeDirectory(path.resolve(directory), fileSystem);
  // The database says who may continue; the checkpoint of a dead worker may be ahead of its records.
  for (const name of [runFiles.lock, runFiles.checkpoint, runFiles.result])
    discard(path.join(directory, name), fileSystem);
  const { text } = journalText(events, '');
  // In place of the old file: a worker that was frozen would append to that one.
  writeFileAtomically(path.join(directory, runFiles.journal), text, fileSystem);
  writeFileAtomically(path.join(directory, runFiles.pipeline), pipeline, fileSystem);
  writeFileAtomically(path.join(directory, runFiles.manifest), manifest, fileSystem);
}
