import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { fileError, strangeness } from './file-system.js';

// Files that people and pipelines name. Unlike files of a run they may be links, and are then what the links lead to.

/** Bytes. More would not fit into a text, and a device such as /dev/zero has no end. */
const mostBytes = 2 ** 28;

const chunkBytes = 2 ** 16;

/** Reads a file of the call, which may be a pipe, such as `<(command)` of a shell. */
export function readNamedFile(file: string): Buffer {
  return readAs(file, constants.O_RDONLY, () => undefined);
}

/** Reads a file that nobody chose for this call. A pipe or a device is refused: reading it may never end. */
export function readRegularFile(file: string): Buffer {
  return readAs(file, constants.O_RDONLY | constants.O_NONBLOCK, strangeness);
}

/** Status of what a path leads to; undefined if it leads nowhere, or that cannot be seen. */
export function statusOfNamed(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}

function readAs(file: string, flags: number, problemOf: (stats: Stats) => string | undefined): Buffer {
  const descriptor = openOrExplain(file, flags);
  try {
    const stats = fstatSync(descriptor);
    const problem = problemOf(stats);
    if (problem !== undefined) throw fileError('ENOTFILE', file, problem);
    return readBounded(descriptor, file, stats.size);
  } finally {
    closeSync(descriptor);
  }
}

/** Opens a file; the system says of a socket that there is no such device. */
function openOrExplain(file: string, flags: number): number {
  try {
    return openSync(file, flags);
  } catch (error) {
    const stats = (error as NodeJS.ErrnoException).code === 'ENXIO' ? statusOfNamed(file) : undefined;
    const problem = stats && strangeness(stats);
    throw problem === undefined ? error : fileError('ENOTFILE', file, problem);
  }
}

/** @param expected size of a file, 0 for a pipe or a device */
function readBounded(descriptor: number, file: string, expected: number): Buffer {
  const chunks: Buffer[] = [];
  let length = 0;
  while (expected <= mostBytes) {
    const chunk = Buffer.allocUnsafe(Math.max(chunkBytes, expected - length));
    const count = readSync(descriptor, chunk);
    if (count === 0) return Buffer.concat(chunks, length);
    chunks.push(chunk.subarray(0, count));
    length += count;
    if (length > mostBytes) break;
  }
  throw fileError('EFBIG', file, `it is larger than ${mostBytes / 2 ** 20} MiB`);
}
