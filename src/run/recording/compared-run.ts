import path from 'node:path';
import { readJournal } from '../../journal/journal.js';
import { type FileSystem, nodeFileSystem } from '../../run-directory/file-system.js';
import { readManifest } from '../../run-directory/manifest.js';
import { RunError } from '../../run-directory/run-error.js';
import { runFiles } from '../../run-directory/run-files.js';
import type { ComparedRun } from './journal-difference.js';
import { isRecorded, readRecordingFile } from './recording-file.js';
import type { RunPlaces } from './run-places.js';

/**
 * Run in a form for comparing its journal with another one.
 * @throws RunError
 */
export function comparedRun(directory: string, fileSystem: FileSystem = nodeFileSystem): ComparedRun {
  const places = placesOf(directory, fileSystem);
  return { events: readJournal(path.join(directory, runFiles.journal), fileSystem).events, places };
}

function placesOf(directory: string, fileSystem: FileSystem): RunPlaces {
  const { working_directory: workingDirectory, options } = readManifest(directory, fileSystem);
  const file = path.join(directory, runFiles.recording);
  const lines = isRecorded(directory, fileSystem) ? readRecordingFile(file, fileSystem).lines : [];
  const sessions = lines.filter((line) => line.kind === 'session');
  const { replay_of: source } = options;
  const played = source === undefined ? noPlaces : placesOfPlayed(source, fileSystem);
  return {
    // The original directory: it may have been moved since.
    runDirectories: [
      path.resolve(directory),
      ...sessions.map(({ run_directory }) => run_directory),
      ...played.runDirectories,
    ],
    workingDirectories: [
      workingDirectory,
      ...sessions.map(({ working_directory }) => working_directory),
      ...played.workingDirectories,
    ],
  };
}

const noPlaces: RunPlaces = { runDirectories: [], workingDirectories: [] };

/**
 * Locations in texts that a replay repeats from its recorded run; if that is gone, only its directory is
 * known.
 */
function placesOfPlayed(directory: string, fileSystem: FileSystem): RunPlaces {
  try {
    return placesOf(directory, fileSystem);
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    return { ...noPlaces, runDirectories: [directory] };
  }
}
