/** Reason why a run could not be started, read or written. */
export type RunErrorCode =
  /** The directory already holds a run. */
  | 'run_exists'
  | 'run_not_found'
  /** Another process executes it. */
  | 'run_locked'
  /** The run directory cannot be created. */
  | 'unusable_directory'
  /** A file of a run cannot be read or written any more. */
  | 'storage'
  /** The files on disk contradict each other. */
  | 'run_damaged'
  /** The call is invalid. */
  | 'usage';

/** Failure around a run, in whole sentences for people. Failures inside a run are outcomes instead. */
export class RunError extends Error {
  readonly code: RunErrorCode;

  constructor(code: RunErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RunError';
    this.code = code;
  }
}

/** Failure of a process because something else has written to its run directory, or has taken it over. */
export class TakenOverError extends RunError {
  constructor(message: string) {
    super('storage', message);
  }
}

/** System error about a file, in words. */
export function describeSystemError(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  switch (code) {
    case 'ENOENT':
      return (error as NodeJS.ErrnoException).path?.includes('\ufffd')
        ? 'it does not exist, or its name is not UTF-8; then rename it'
        : 'it does not exist';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'EEXIST':
      return 'a file with that name is in the way';
    case 'EISDIR':
      return 'it is a directory';
    case 'ENOTDIR':
      return 'a part of the path is not a directory';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'no space is left on the device';
    case 'EIO':
      return 'the device reports an input/output error';
    case 'EROFS':
      return 'the file system is read-only';
    case 'ELOOP':
      return 'its symbolic links form a loop';
    case 'ENAMETOOLONG':
      return 'the name is too long';
    case 'EMFILE':
    case 'ENFILE':
      return 'too many files are open';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
