import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { describeSystemError, RunError } from '../run-directory/run-error.js';
import { userFile } from '../run-directory/user-file.js';
import type { Variables } from '../secrets/find-secrets.js';
import { type KeyFileContent, parseKeyFile } from './parse-key-file.js';

/** Maximum in bytes; a larger file is not a list of keys. */
const largest = 1024 * 1024;

/** Default path of the key file, unless the configuration names another one. */
export function usualKeyFile(variables: Variables): string | undefined {
  return userFile('keys.env', variables);
}

/**
 * Reads a file of keys, which must belong to this user, and which no other user may be able to read or
 * write.
 * @param isWanted true if a missing file is an error
 * @throws RunError `usage`, which never shows the content
 */
export function readKeyFile(file: string, isWanted: boolean): KeyFileContent | undefined {
  let descriptor: number;
  try {
    // Without blocking on a writer, if it is a pipe.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another user's home, as below `sudo -u`, has no keys for this user.
    if (!isWanted && (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES')) return undefined;
    throw refused(file, `cannot be read: ${describeSystemError(error)}`);
  }
  try {
    checkFile(file, descriptor);
    return parseKeyFile(file, readFileSync(descriptor, 'utf8'));
  } finally {
    closeSync(descriptor);
  }
}

/** Checks the file that is open, not the one that has its name by now. */
function checkFile(file: string, descriptor: number): void {
  const status = fstatSync(descriptor);
  if (!status.isFile()) throw refused(file, 'is not a file');
  if (status.size > largest) throw refused(file, `has ${status.size} bytes, too many for a list of keys`);
  // Windows has neither.
  const user = process.getuid?.();
  if (user === undefined) return;
  if (status.uid !== user)
    throw refused(
      file,
      `belongs to the user ${status.uid}, and not to you (${user}). Copy your keys to a file of your own`,
    );
  const mode = status.mode & 0o777;
  if ((mode & 0o077) === 0) return;
  const shown = mode.toString(8).padStart(4, '0');
  throw refused(
    file,
    `is open to others (its mode is ${shown}). Close it to them: chmod 600 ${quoted(file)}`,
  );
}

function refused(file: string, why: string): RunError {
  return new RunError('usage', `the key file ${file} ${why}`);
}

function quoted(file: string): string {
  return /^[\w./+@-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
}
