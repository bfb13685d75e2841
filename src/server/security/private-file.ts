import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { makeDirectory } from '../../run-directory/durable-file.js';
import { type FileSystem, nodeFileSystem } from '../../run-directory/file-system.js';
import { RunError } from '../../run-directory/run-error.js';

/** Text of a file that only this user may use, and the file's status. */
export interface PrivateFile {
  readonly text: string;
  readonly stats: Stats;
}

/** Advice for a file that cannot be used: what to do about it, and what once others may have used it. */
export interface PrivateFileAdvice {
  readonly otherwise: string;
  readonly open: string;
}

/**
 * Reads a file that belongs to this user and that nobody else may use. It follows no link and waits for no pipe.
 * @param what its name in messages: `the token file`
 * @returns undefined where there is no such file
 * @throws RunError `usage` for a file that others can use, or that belongs to another user
 */
export function readPrivateFile(
  file: string,
  what: string,
  advice: PrivateFileAdvice,
): PrivateFile | undefined {
  const refused = (why: string, then = advice.otherwise): RunError =>
    new RunError('usage', `${what} ${file} ${why}; ${then}`);
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP' || code === 'EMLINK') throw refused('is a symbolic link');
    throw error;
  }
  try {
    const stats = fstatSync(descriptor);
    const owner = process.getuid?.();
    if (!stats.isFile()) throw refused('is not a file');
    if (owner !== undefined && stats.uid !== owner) throw refused('belongs to another user');
    if (owner !== undefined && (stats.mode & 0o077) !== 0) {
      const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
      throw refused(`may be used by others (mode ${mode})`, advice.open);
    }
    return { text: readFileSync(descriptor, 'utf8'), stats };
  } finally {
    closeSync(descriptor);
  }
}

/** Others may not even look into the directories that are made for it. */
const privateDirectories: FileSystem = {
  ...nodeFileSystem,
  mkdir: (directory) => void mkdirSync(directory, { mode: 0o700 }),
};

/**
 * Makes a file that only this user may use. It is there whole or not at all.
 * @returns whether it was made: of several that make it at the same time, one does
 */
export function makePrivateFile(file: string, text: string): boolean {
  const directory = path.dirname(file);
  makeDirectory(directory, privateDirectories);
  const temporary = path.join(directory, `.${path.basename(file)}-${randomBytes(6).toString('hex')}`);
  writeFileSync(temporary, text, { flag: 'wx', mode: 0o600, flush: true });
  try {
    linkSync(temporary, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}
