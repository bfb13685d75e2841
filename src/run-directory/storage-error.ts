import { describeSystemError, RunError } from './run-error.js';

/** Error for a file of a run that cannot be read or written any more. */
export function storageError(file: string, wanted: 'read' | 'written', error: unknown): RunError {
  return new RunError(
    'storage',
    `${file} could not be ${wanted}: ${describeSystemError(error)}. The run was stopped; all stages that had finished before are recorded, and \`attractor resume\` continues from there after you fix the cause`,
    { cause: error },
  );
}

/**
 * Performs an action that writes to a file.
 * @throws RunError `storage` with the file and the cause
 */
export function writing<Result>(file: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    if (error instanceof RunError) throw error;
    throw storageError(file, 'written', error);
  }
}
