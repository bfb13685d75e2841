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
import { describeSystemError, RunError } from '../../run-directory/run-error.js';
import { isToken, newToken } from './server-token.js';

/**
 * The token in this file, which is made where there is none (§9.5): only its owner may read it, so that who can read it could
 * do everything that the server does anyway.
 * @throws RunError `usage` for a file that others can read, or that is none of ours; `unusable_directory` where there can be none
 */
export function openTokenFile(file: string): string {
  try {
    return readToken(file) ?? makeToken(file);
  } catch (error) {
    if (error instanceof RunError) throw error;
    throw new RunError('unusable_directory', `the token file ${file}: ${describeSystemError(error)}`, {
      cause: error,
    });
  }
}

/** @returns undefined if there is no such file */
function readToken(file: string): string | undefined {
  const descriptor = openExisting(file);
  if (descriptor === undefined) return undefined;
  try {
    checkFile(file, fstatSync(descriptor));
    const token = readFileSync(descriptor, 'utf8').trim();
    if (isToken(token)) return token;
    throw unusable(file, 'holds no token');
  } finally {
    closeSync(descriptor);
  }
}

function openExisting(file: string): number | undefined {
  try {
    // Neither a link is followed nor a pipe waited for.
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP' || code === 'EMLINK') throw unusable(file, 'is a symbolic link');
    throw error;
  }
}

function checkFile(file: string, stats: Stats): void {
  if (!stats.isFile()) throw unusable(file, 'is not a file');
  const owner = process.getuid?.();
  if (owner !== undefined && stats.uid !== owner) throw unusable(file, 'belongs to somebody else');
  if (owner !== undefined && (stats.mode & 0o077) !== 0) {
    const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
    throw new RunError(
      'usage',
      `the token file ${file} may be used by others (mode ${mode}); if nobody has read it: chmod 600 ${file}; else delete it, and a new one is made`,
    );
  }
}

function unusable(file: string, what: string): RunError {
  return new RunError(
    'usage',
    `the token file ${file} ${what}; delete it, and a new one is made, or name another one with --token-file`,
  );
}

/** Others may not even look into the directories that are made for it. */
const privateDirectories: FileSystem = {
  ...nodeFileSystem,
  mkdir: (directory) => void mkdirSync(directory, { mode: 0o700 }),
};

/**
 * Creates a token file as a whole or not at all; of two servers that create one at the same time, both use
 * the first.
 */
function makeToken(file: string): string {
  const directory = path.dirname(file);
  makeDirectory(directory, privateDirectories);
  const temporary = path.join(directory, `.${path.basename(file)}-${randomBytes(6).toString('hex')}`);
  const token = newToken();
  writeFileSync(temporary, `${token}\n`, { flag: 'wx', mode: 0o600, flush: true });
  try {
    linkSync(temporary, file);
    return token;
  } catch (error) {
    const first = (error as NodeJS.ErrnoException).code === 'EEXIST' ? readToken(file) : undefined;
    if (first !== undefined) return first;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}
