import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { describeSystemError } from '../run-directory/run-error.js';
import type { FoundFile } from './found-file.js';

/** Default limit of bytes that are read of a file. */
const usualLimit = 10 * 1024 * 1024;

/** Part of a file to be read, if the file is larger. */
export interface ReadingOptions {
  /** Maximum in bytes. */
  readonly limit?: number;
  readonly part?: 'beginning' | 'end';
  /** Byte at which a beginning begins. */
  readonly from?: number;
}

/**
 * Reads a file that must lie in a directory of a run wherever links lead: programs leave anything there,
 * and clients ask for any name.
 * @param directory of the run
 * @param relativePath path of the directory that must hold the file, in the run directory, which no client chooses
 * @param name relative to that, `/` between names
 */
export function readConfined(
  directory: string,
  relativePath: string,
  name: string,
  options: ReadingOptions = {},
): FoundFile {
  if (!isPlainPath(name)) {
    const message = `${JSON.stringify(name)} is not a valid file name: it must be a path below the directory, without "..", "." or empty parts`;
    return { kind: 'refused', message };
  }
  try {
    const root = path.join(realpathSync(directory), relativePath);
    const file = realpathSync(path.join(root, name));
    if (!file.startsWith(`${root}${path.sep}`)) {
      return { kind: 'refused', message: `"${name}" leads out of its directory` };
    }
    return readPlainFile(file, name, options);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    const kind = isAbsence(code) ? 'missing' : 'refused';
    return { kind, message: `"${name}" cannot be read: ${describeSystemError(error)}` };
  }
}

function isAbsence(code: string): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG';
}

function isPlainPath(name: string): boolean {
  if (name === '' || name.includes('\0') || name.includes('\\')) return false;
  return name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** Reads a regular file, without following a link that has replaced it since, or waiting for a pipe. */
function readPlainFile(
  file: string,
  name: string,
  { limit = usualLimit, part = 'beginning', from: start = 0 }: ReadingOptions,
): FoundFile {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return { kind: 'missing', message: `"${name}" is not a file` };
    const length = Math.max(0, Math.min(stats.size - (part === 'beginning' ? start : 0), limit));
    const data = Buffer.alloc(length);
    const from = part === 'beginning' ? start : stats.size - length;
    let filled = 0;
    while (filled < length) {
      const count = readSync(descriptor, data, filled, length - filled, from + filled);
      if (count === 0) break;
      filled += count;
    }
    return { kind: 'found', data: data.subarray(0, filled), size: stats.size };
  } finally {
    closeSync(descriptor);
  }
}
