import path from 'node:path';
import { type FileSystem, nodeFileSystem } from './file-system.js';
import { describeSystemError, RunError } from './run-error.js';
import { runFiles } from './run-files.js';

/**
 * Text of the pipeline that a run was started with.
 * @throws RunError `run_damaged`
 */
export function readPipeline(directory: string, fileSystem: FileSystem = nodeFileSystem): string {
  const file = path.join(directory, runFiles.pipeline);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(fileSystem.readFile(file));
  } catch (error) {
    const what = error instanceof TypeError ? 'it is not UTF-8 text' : describeSystemError(error);
    throw new RunError(
      'run_damaged',
      `${file} cannot be read: ${what}. Restore the file from a copy, or start a new run`,
      { cause: error },
    );
  }
}
