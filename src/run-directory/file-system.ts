import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';

/**
 * The calls that the engine makes on a run directory (DESIGN §4), as a port: a test can let each of them fail. They do
 * and throw what those of `node:fs` do; descriptors must be real ones, because tools inherit them.
 */
export interface FileSystem {
  /** With `as`, which is asked for only where `writesThrough` says so, a write returns when what it has written is on the disk. */
  open(file: string, flags: OpenFlags): number;
  /** Whether descriptors that are opened with `as` can be relied on as much as `fdatasync`, which takes a call more. */
  readonly writesThrough?: boolean;
  /** Writes bytes from an offset on. @returns how many were written, which may be fewer than there are */
  write(descriptor: number, bytes: Uint8Array, offset: number): number;
  fsync(descriptor: number): void;
  fdatasync(descriptor: number): void;
  /** The same without keeping the process from other things. */
  fdatasyncSoon(descriptor: number): Promise<void>;
  fstat(descriptor: number): { readonly size: number; readonly mtimeMs: number };
  ftruncate(descriptor: number, size: number): void;
  close(descriptor: number): void;
  exists(path: string): boolean;
  /** @returns undefined where there is nothing */
  stat(path: string): FileStatus | undefined;
  readFile(file: string): Buffer;
  writeFile(file: string, text: string): void;
  /** Removes a file; one that is not there is no error. */
  rm(file: string): void;
  rename(from: string, to: string): void;
  link(existing: string, added: string): void;
  mkdir(directory: string): void;
  readdir(directory: string): readonly string[];
}

/** As those of Node: `a` and `as` are for appending. */
type OpenFlags = 'a' | 'as' | 'r' | 'w' | 'w+';

export interface FileStatus {
  readonly ino: number;
  readonly size: number;
  /** When its content changed, and when anything about it did, in milliseconds since 1970. */
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  isDirectory(): boolean;
  isFile(): boolean;
}

/** Not `O_SYNC`, which would wait for the time of the file too. */
const appendingThrough = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_DSYNC;

/** The file system of this machine. */
export const nodeFileSystem: FileSystem = {
  open: (file, flags) => openSync(file, flags === 'as' ? appendingThrough : flags),
  // Elsewhere a drive may keep what was written in its cache, or there is no such way to open a file.
  writesThrough: process.platform === 'linux',
  write: (descriptor, bytes, offset) => writeSync(descriptor, bytes, offset),
  fsync: fsyncSync,
  fdatasync: fdatasyncSync,
  fdatasyncSoon: promisify(fdatasync),
  fstat: (descriptor) => fstatSync(descriptor),
  ftruncate: ftruncateSync,
  close: closeSync,
  exists: existsSync,
  stat: (path) => statSync(path, { throwIfNoEntry: false }),
  readFile: (file) => readFileSync(file),
  writeFile: (file, text) => writeFileSync(file, text),
  rm: (file) => rmSync(file, { force: true }),
  rename: renameSync,
  link: linkSync,
  mkdir: (directory) => void mkdirSync(directory),
  readdir: (directory) => readdirSync(directory),
};
