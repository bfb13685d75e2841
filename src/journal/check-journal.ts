import path from 'node:path';
import { type FileSystem, nodeFileSystem } from '../run-directory/file-system.js';
import { RunError } from '../run-directory/run-error.js';
import { runFiles } from '../run-directory/run-files.js';

/**
 * Checks that a journal exists. A run that died early may lack it; one that has a checkpoint must
 * have it.
 * @returns true if there is one
 * @throws RunError `run_damaged`
 */
export function checkJournal(directory: string, fileSystem: FileSystem = nodeFileSystem): boolean {
  const file = path.join(directory, runFiles.journal);
  if (fileSystem.exists(file)) return true;
  if (!fileSystem.exists(path.join(directory, runFiles.checkpoint))) return false;
  throw new RunError(
    'run_damaged',
    `the journal ${file} is missing. Restore it from a copy, or start a new run`,
  );
}
