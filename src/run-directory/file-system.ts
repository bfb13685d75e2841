import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

/**
 * Calls of the engine on a run directory (DESIGN §4), as a port: a test can let each of them fail. They do
 * and throw what those of `node:fs` do, with one difference: programs work below a run directory and may
 * plant links, pipes and devices there, so none of these calls follows a link in the last part of a path,
 * waits for a pipe, or writes to a file that has a second name elsewhere. Descriptors must be real ones,
 * because tools inherit them.
 */
export interface FileSystem {
  /**
   * Opens a file. With `as`, which is used only if `writesThrough` is true, a write returns when its data
   * is on the disk.
   */
  open(file: string, flags: OpenFlags): number;
  /** True if descriptors opened with `as` are as reliable as `fdatasync`, which takes another call. */
  readonly writesThrough?: boolean;
  /**
   * Writes bytes from an offset on.
   * @returns the number of written bytes, which may be smaller than requested
   */
  write(descriptor: number, bytes: Uint8Array, offset: number): number;
  fsync(descriptor: number): void;
  fdatasync(descriptor: number): void;
  /** Like `fdatasync`, without blocking the process. */
  fdatasyncSoon(descriptor: number): Promise<void>;
  fstat(descriptor: number): Pick<FileStatus, 'ino' | 'size' | 'mtimeMs'>;
  ftruncate(descriptor: number, size: number): void;
  close(descriptor: number): void;
  /** True if there is an entry of this name, even a dangling link. */
  exists(file: string): boolean;
  /**
   * Status of the entry itself, not of the target of a link.
   * @returns undefined if there is none
   */
  stat(file: string): FileStatus | undefined;
  /** @param limit bytes above which a file is refused */
  readFile(file: string, limit?: number): Buffer;
  /** Replaces a file: a reader finds the old content or the new one. */
  writeFile(file: string, content: string | Uint8Array): void;
  /** Removes a file; a missing one is not an error. */
  rm(file: string): void;
  rename(from: string, to: string): void;
  link(existing: string, added: string): void;
  mkdir(directory: string): void;
  readdir(directory: string): readonly string[];
}

/**
 * - `a`, `as`: append to a file, which is created if necessary
 * - `r`: read a file
 * - `wx`, `wx+`: create a file that must not exist; with `+` it can be read too
 * - `directory`: sync a directory
 */
export type OpenFlags = 'a' | 'as' | 'directory' | 'r' | 'wx' | 'wx+';

export interface FileStatus {
  readonly ino: number;
  readonly size: number;
  /** Time of the last change of its content, and `ctimeMs` of any change, in milliseconds since 1970. */
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  isDirectory(): boolean;
  isFile(): boolean;
}

/** Maximum size of a buffer in Node. */
const largestFile = 2 ** 31 - 1;

/** Flags against following a link and against waiting for the other end of a pipe. */
const plainly = constants.O_NOFOLLOW | constants.O_NONBLOCK;
const appending = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | plainly;

const modes: Readonly<Record<OpenFlags, number>> = {
  a: appending,
  // Not `O_SYNC`, which would wait for the time of the file too.
  as: appending | constants.O_DSYNC,
  directory: constants.O_RDONLY | constants.O_DIRECTORY,
  r: constants.O_RDONLY | plainly,
  wx: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
  'wx+': constants.O_RDWR | constants.O_CREAT | constants.O_EXCL,
};

/** The file system of this machine. */
export const nodeFileSystem: FileSystem = {
  open: (file, flags) => openPlainly(file, flags),
  // Elsewhere a drive may keep written data in its cache, or there is no such flag.
  writesThrough: process.platform === 'linux',
  write: (descriptor, bytes, offset) => writeSync(descriptor, bytes, offset),
  fsync: fsyncSync,
  fdatasync: fdatasyncSync,
  fdatasyncSoon: promisify(fdatasync),
  fstat: (descriptor) => fstatSync(descriptor),
  ftruncate: ftruncateSync,
  close: closeSync,
  exists(file) {
    try {
      return statusOf(file) !== undefined;
    } catch {
      return false;
    }
  },
  stat: (file) => statusOf(file),
  readFile(file, limit = largestFile) {
    const descriptor = openPlainly(file, 'r');
    try {
      const { size } = fstatSync(descriptor);
      if (size > limit) throw fileError('EFBIG', file, `it has ${size} bytes, and at most ${limit} are read`);
      return readFileSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  },
  writeFile(file, content) {
    const temporary = temporaryName(file);
    const descriptor = openSync(temporary, modes.wx);
    try {
      try {
        writeFileSync(descriptor, content);
      } finally {
        closeSync(descriptor);
      }
      renameSync(temporary, file);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  },
  rm: (file) => rmSync(file, { force: true }),
  rename: renameSync,
  link: linkSync,
  mkdir: (directory) => void mkdirSync(directory),
  readdir: (directory) => readdirSync(directory),
};

/** The same for files whose content is kept elsewhere: none of them has to survive a crash of this machine. */
export const cacheFileSystem: FileSystem = {
  ...nodeFileSystem,
  writesThrough: false,
  fsync: () => undefined,
  fdatasync: () => undefined,
  fdatasyncSoon: async () => undefined,
};

/** True if other processes see the files. */
export function isOfThisMachine(fileSystem: FileSystem | undefined): boolean {
  return fileSystem === nodeFileSystem || fileSystem === cacheFileSystem;
}

/** Writes all bytes, in as many calls as necessary. */
export function writeWhole(
  descriptor: number,
  bytes: Uint8Array,
  fileSystem: FileSystem = nodeFileSystem,
): void {
  for (let written = 0; written < bytes.length; ) {
    const count = fileSystem.write(descriptor, bytes, written);
    // Otherwise the loop would never end.
    if (count === 0) throw new Error('the system wrote none of it and gave no reason');
    written += count;
  }
}

/** Unguessable name next to a file, so that nothing can be planted there. */
export function temporaryName(file: string): string {
  // The name itself may be as long as the system allows.
  const name = path.basename(file).slice(0, 60);
  // Loaded on demand: most commands write nothing.
  const { randomUUID } = process.getBuiltinModule('node:crypto');
  // Node keeps random bytes in store for these; asking for some each time takes ten times as long.
  const random = randomUUID().slice(-12);
  return path.join(path.dirname(file), `${name}.${random}.tmp`);
}

function statusOf(file: string): Stats | undefined {
  return lstatSync(file, { throwIfNoEntry: false });
}

function openPlainly(file: string, flags: OpenFlags): number {
  const descriptor = openOrExplain(file, flags);
  if (flags === 'directory' || flags.startsWith('w')) return descriptor;
  try {
    const stats = fstatSync(descriptor);
    const problem = strangeness(stats) ?? (flags === 'r' ? undefined : secondName(stats));
    if (problem !== undefined) throw fileError('ENOTFILE', file, problem);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/**
 * Opens a file, with a better error for a link and for a pipe without a reader, of which the system only
 * reports that they cannot be opened.
 */
function openOrExplain(file: string, flags: OpenFlags): number {
  try {
    return openSync(file, modes[flags]);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const stats = code === 'ELOOP' || code === 'ENXIO' ? statusOf(file) : undefined;
    const problem = stats && strangeness(stats);
    throw problem === undefined ? error : fileError('ENOTFILE', file, problem);
  }
}

/** Describes an entry that is neither a file nor a directory. */
export function strangeness(stats: Stats): string | undefined {
  if (stats.isSymbolicLink()) return 'it is a symbolic link';
  if (stats.isFIFO()) return 'it is a named pipe';
  if (stats.isSocket()) return 'it is a socket';
  return stats.isFile() || stats.isDirectory() ? undefined : 'it is a device';
}

function secondName({ nlink }: Stats): string | undefined {
  return nlink > 1 ? `it is a hard link: the file has ${nlink} names` : undefined;
}

/** Error of this module about a file, as the system's own have code and path. */
export function fileError(code: string, file: string, what: string): Error {
  return Object.assign(new Error(what), { code, path: file });
}
