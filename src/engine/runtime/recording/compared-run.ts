import path from 'node:path';
import { type FileSystem, nodeFileSystem } from '../file-system.js';
import { readJournal } from '../journal.js';
import { readManifest } from '../manifest.js';
import { runFiles } from '../run-files.js';
import type { ComparedRun } from './journal-difference.js';
import { isRecorded, readRecordingFile } from './recording-file.js';

/** A run as its journal is compared with that of another one. @throws RunError */
export function comparedRun(directory: string, fileSystem: FileSystem = nodeFileSystem): ComparedRun {
  const manifest = readManifest(directory, fileSystem);
  const { events } = readJournal(path.join(directory, runFiles.journal), fileSystem);
  const file = path.join(directory, runFiles.recording);
  const lines = isRecorded(directory, fileSystem) ? readRecordingFile(file, fileSystem).lines : [];
  const sessions = lines.filter((line) => line.kind === 'session');
  return {
    events,
    places: {
      // Where it was then: somebody may have moved it since.
      runDirectories: [path.resolve(directory), ...sessions.map(({ run_directory }) => run_directory)],
      workingDirectories: [
        manifest.working_directory,
        ...sessions.map(({ working_directory }) => working_directory),
      ],
    },
  };
}
