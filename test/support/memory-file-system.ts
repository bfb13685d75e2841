import path from 'node:path';
import type { FileStatus, FileSystem } from '../../src/run-directory/file-system.js';

/**
 * A file system in memory, for tests of runs whose point is not the disk. It does and throws what the one of this machine does
 * (memory-file-system.test.ts tries both), with two exceptions: nothing can be lost, so that syncs do nothing, and no process can
 * inherit its descriptors, so that no command can run in it.
 */
export function memoryFileSystem(): FileSystem {
  const root: Directory = { kind: 'directory', ino: 1, entries: new Map(), mtimeMs: 0, ctimeMs: 0 };
  const opened = new Map<number, OpenFile>();
  let lastIno = root.ino;
  let lastDescriptor = firstDescriptor;
  let lastTime = 0;

  /** Two changes never have the same time: a disk counts nanoseconds. */
  function now(): number {
    lastTime = Math.max(Date.now(), lastTime + 0.001);
    return lastTime;
  }

  function nextIno(): number {
    lastIno += 1;
    return lastIno;
  }

  function find(call: Call, file = call.path): Entry | undefined {
    let entry: Entry | undefined = root;
    for (const name of partsOf(file)) {
      if (entry === undefined) return undefined;
      if (entry.kind === 'file') throw systemError('ENOTDIR', call);
      if (Buffer.byteLength(name) > longestName) throw systemError('ENAMETOOLONG', call);
      entry = entry.entries.get(name);
    }
    return entry;
  }

  function existing(call: Call): Entry {
    const entry = find(call);
    if (entry === undefined) throw systemError('ENOENT', call);
    return entry;
  }

  /** Where an entry is, or would be. */
  function placeOf(call: Call, file = call.path): Place {
    const absolute = path.resolve(file);
    const parent = find(call, path.dirname(absolute));
    if (parent === undefined) throw systemError('ENOENT', call);
    if (parent.kind === 'file') throw systemError('ENOTDIR', call);
    const name = path.basename(absolute);
    if (Buffer.byteLength(name) > longestName) throw systemError('ENAMETOOLONG', call);
    return { parent, name, entry: parent.entries.get(name) };
  }

  function put({ parent, name }: Place, entry: Entry): void {
    parent.entries.set(name, entry);
    changed(parent);
  }

  function take({ parent, name }: Place): void {
    parent.entries.delete(name);
    changed(parent);
  }

  function changed(entry: Entry): void {
    entry.mtimeMs = now();
    entry.ctimeMs = entry.mtimeMs;
  }

  function openFile(call: Call, flags: string): OpenFile {
    if (flags === 'r' || flags === 'directory') return { entry: existing(call), position: 0, flags };
    const place = placeOf(call);
    if (flags.startsWith('wx') && place.entry !== undefined) throw systemError('EEXIST', call);
    if (place.entry?.kind === 'directory') throw systemError('EISDIR', call);
    const file = place.entry ?? newFile();
    if (file.names > 1) throw hardLink(call, file);
    if (place.entry === undefined) put(place, file);
    return { entry: file, position: 0, flags };
  }

  function newFile(): File {
    const time = now();
    return {
      kind: 'file',
      ino: nextIno(),
      buffer: Buffer.alloc(0),
      size: 0,
      names: 1,
      mtimeMs: time,
      ctimeMs: time,
    };
  }

  function resize(file: File, size: number): void {
    reserve(file, size);
    file.buffer.fill(0, Math.min(size, file.size), Math.max(size, file.size));
    file.size = size;
    changed(file);
  }

  function openedFile(descriptor: number, syscall: string): OpenFile {
    const file = opened.get(descriptor);
    if (file === undefined) throw systemError('EBADF', { syscall });
    return file;
  }

  function writtenFile(
    descriptor: number,
    syscall: string,
    unwritable: ErrorCode,
  ): OpenFile & { entry: File } {
    const file = openedFile(descriptor, syscall);
    const { entry, flags } = file;
    if (entry.kind === 'directory' || flags === 'r' || flags === 'directory')
      throw systemError(unwritable, { syscall });
    return Object.assign(file, { entry });
  }

  function write(file: OpenFile & { entry: File }, bytes: Uint8Array): void {
    const { entry } = file;
    const start = file.flags.startsWith('a') ? entry.size : file.position;
    const end = start + bytes.length;
    reserve(entry, end);
    entry.buffer.set(bytes, start);
    entry.size = Math.max(entry.size, end);
    file.position = end;
    changed(entry);
  }

  const fileSystem: FileSystem = {
    writesThrough: true,
    open(file, flags) {
      const found = openFile({ syscall: 'open', path: file }, flags);
      lastDescriptor += 1;
      opened.set(lastDescriptor, found);
      return lastDescriptor;
    },
    write(descriptor, bytes, offset) {
      const rest = bytes.subarray(offset);
      write(writtenFile(descriptor, 'write', 'EBADF'), rest);
      return rest.length;
    },
    fsync: (descriptor) => void openedFile(descriptor, 'fsync'),
    fdatasync: (descriptor) => void openedFile(descriptor, 'fdatasync'),
    fdatasyncSoon: async (descriptor) => void openedFile(descriptor, 'fdatasync'),
    fstat(descriptor) {
      const { entry } = openedFile(descriptor, 'fstat');
      return statusOf(entry);
    },
    ftruncate: (descriptor, size) => resize(writtenFile(descriptor, 'ftruncate', 'EINVAL').entry, size),
    close(descriptor) {
      openedFile(descriptor, 'close');
      opened.delete(descriptor);
    },
    exists(file) {
      try {
        return find({ syscall: 'access', path: file }) !== undefined;
      } catch {
        return false;
      }
    },
    stat(file) {
      const entry = find({ syscall: 'lstat', path: file });
      return entry && statusOf(entry);
    },
    readFile(file, limit = Number.POSITIVE_INFINITY) {
      const entry = existing({ syscall: 'open', path: file });
      if (entry.kind === 'directory') throw systemError('EISDIR', { syscall: 'read' });
      if (entry.size > limit) throw Object.assign(new Error('too large'), { code: 'EFBIG', path: file });
      return Buffer.from(entry.buffer.subarray(0, entry.size));
    },
    writeFile(file, content) {
      const place = placeOf({ syscall: 'open', path: file });
      if (place.entry?.kind === 'directory') throw systemError('EISDIR', { syscall: 'rename', path: file });
      if (place.entry !== undefined) place.entry.names -= 1;
      const entry = newFile();
      put(place, entry);
      write({ entry, position: 0, flags: 'wx' }, Buffer.from(content));
    },
    rm(file) {
      const call = { syscall: 'rm', path: file };
      const entry = find(call);
      if (entry === undefined) return;
      if (entry.kind === 'directory') throw removesDirectory(file);
      take(placeOf(call));
      entry.names -= 1;
      entry.ctimeMs = now();
    },
    rename(from, to) {
      const call = { syscall: 'rename', path: from, dest: to };
      const source = placeOf(call);
      const target = placeOf(call, to);
      const { entry } = source;
      if (entry === undefined) throw systemError('ENOENT', call);
      if (target.entry === entry) return;
      refuseRename(call, entry, target.entry);
      if (target.entry?.kind === 'file') target.entry.names -= 1;
      take(source);
      put(target, entry);
      entry.ctimeMs = now();
    },
    link(from, to) {
      const call = { syscall: 'link', path: from, dest: to };
      const entry = existing(call);
      const target = placeOf(call, to);
      if (target.entry !== undefined) throw systemError('EEXIST', call);
      if (entry.kind === 'directory') throw systemError('EPERM', call);
      put(target, entry);
      entry.names += 1;
      entry.ctimeMs = now();
    },
    mkdir(directory) {
      const call = { syscall: 'mkdir', path: directory };
      if (path.resolve(directory) === path.parse(path.resolve(directory)).root)
        throw systemError('EEXIST', call);
      const place = placeOf(call);
      if (place.entry !== undefined) throw systemError('EEXIST', call);
      const time = now();
      put(place, { kind: 'directory', ino: nextIno(), entries: new Map(), mtimeMs: time, ctimeMs: time });
    },
    readdir(directory) {
      const call = { syscall: 'scandir', path: directory };
      const entry = existing(call);
      if (entry.kind === 'file') throw systemError('ENOTDIR', call);
      return [...entry.entries.keys()];
    },
  };
  return fileSystem;
}

/** Far from those of the system, so that a call on the wrong file system fails. */
const firstDescriptor = 1_000_000;
const longestName = 255;

interface File extends Times {
  readonly kind: 'file';
  readonly ino: number;
  /** Longer than the content, which is to grow. */
  buffer: Buffer;
  size: number;
  names: number;
}

interface Directory extends Times {
  readonly kind: 'directory';
  readonly ino: number;
  readonly entries: Map<string, Entry>;
}

interface Times {
  mtimeMs: number;
  ctimeMs: number;
}

type Entry = File | Directory;

interface Place {
  readonly parent: Directory;
  readonly name: string;
  readonly entry: Entry | undefined;
}

interface OpenFile {
  readonly entry: Entry;
  readonly flags: string;
  position: number;
}

interface Call {
  readonly syscall: string;
  readonly path: string;
  readonly dest?: string;
}

function partsOf(file: string): readonly string[] {
  return path
    .resolve(file)
    .split(path.sep)
    .filter((name) => name !== '');
}

function reserve(file: File, size: number): void {
  if (size <= file.buffer.length) return;
  const buffer = Buffer.alloc(Math.max(size, 2 * file.buffer.length, 256));
  file.buffer.copy(buffer, 0, 0, file.size);
  file.buffer = buffer;
}

function statusOf(entry: Entry): FileStatus {
  return {
    ino: entry.ino,
    size: entry.kind === 'file' ? entry.size : 4096,
    mtimeMs: entry.mtimeMs,
    ctimeMs: entry.ctimeMs,
    isDirectory: () => entry.kind === 'directory',
    isFile: () => entry.kind === 'file',
  };
}

function refuseRename(call: Call, entry: Entry, replaced: Entry | undefined): void {
  const into = `${path.resolve(call.path)}${path.sep}`;
  if (`${path.resolve(call.dest ?? '')}${path.sep}`.startsWith(into)) throw systemError('EINVAL', call);
  if (replaced === undefined) return;
  if (entry.kind === 'file' && replaced.kind === 'directory') throw systemError('EISDIR', call);
  if (entry.kind === 'directory' && replaced.kind === 'file') throw systemError('ENOTDIR', call);
  if (replaced.kind === 'directory' && replaced.entries.size > 0) throw systemError('ENOTEMPTY', call);
}

const reasons = {
  EBADF: 'bad file descriptor',
  EEXIST: 'file already exists',
  EINVAL: 'invalid argument',
  EISDIR: 'illegal operation on a directory',
  ENAMETOOLONG: 'name too long',
  ENOENT: 'no such file or directory',
  ENOTDIR: 'not a directory',
  ENOTEMPTY: 'directory not empty',
  EPERM: 'operation not permitted',
} as const;

type ErrorCode = keyof typeof reasons;

/** What Node throws: see `uvException` there. */
function systemError(
  code: ErrorCode,
  { syscall, path: file, dest }: { syscall: string; path?: string; dest?: string },
) {
  const where = (file === undefined ? '' : ` '${file}'`) + (dest === undefined ? '' : ` -> '${dest}'`);
  const error = new Error(`${code}: ${reasons[code]}, ${syscall}${where}`);
  return Object.assign(error, { code, syscall, path: file, dest });
}

function hardLink({ path: file }: Call, { names }: File) {
  const error = new Error(`it is a hard link: the file has ${names} names`);
  return Object.assign(error, { code: 'ENOTFILE', path: file });
}

function removesDirectory(file: string) {
  const error = new Error(`Path is a directory: rm returned EISDIR (is a directory) ${file}`);
  return Object.assign(error, { name: 'SystemError', code: 'ERR_FS_EISDIR', syscall: 'rm', path: file });
}
