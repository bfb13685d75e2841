import path from 'node:path';
import { type FileSystem, nodeFileSystem } from '../../src/run-directory/file-system.js';

/** A disk that fails. */
export interface Fault {
  /** The first call to fail, counted from 1 among those that change something. */
  readonly call: number;
  readonly code: 'ENOSPC' | 'EIO';
  /**
   * What of the call has happened all the same. Of a sync this is what has reached the disk: the rest of what was written
   * since the one before is gone, as after a power failure.
   */
  readonly done: 'nothing' | 'half' | 'everything';
  /** Whether all later calls fail too. */
  readonly lasts: boolean;
}

export interface FaultyFileSystem extends FileSystem {
  /** Every call that changes something, as `operation name`, failed ones included. */
  readonly calls: readonly string[];
  /** The calls that failed, and the paths that they were about. */
  readonly failed: readonly { readonly call: string; readonly path: string }[];
}

export interface FaultyFileSystemOptions {
  readonly fault?: Fault;
  /** Every write takes half of what it is given, and says so. */
  readonly writesShort?: boolean;
}

interface OpenFile {
  readonly path: string;
  readonly flags: string;
}

/** The real file system, except that syncs take no time and that it fails where it is told to. */
export function faultyFileSystem({
  fault,
  writesShort = false,
}: FaultyFileSystemOptions = {}): FaultyFileSystem {
  const calls: string[] = [];
  const files = new Map<number, OpenFile>();
  /** By path: bytes that a power failure leaves. */
  const synced = new Map<string, number>();
  const failed: FaultyFileSystem['failed'][number][] = [];

  /** @param half does a part of it; without, there are no parts */
  function attempt<Result>(operation: string, about: string, whole: () => Result, half?: () => void): Result {
    const call = `${operation} ${path.basename(about)}`;
    calls.push(call);
    const fails =
      fault !== undefined && (fault.lasts ? calls.length >= fault.call : calls.length === fault.call);
    if (!fails) return whole();
    failed.push({ call, path: about });
    try {
      if (fault.done === 'everything') whole();
      if (fault.done === 'half') half?.();
    } catch {
      // It fails as the fault says, not as it would have failed anyway.
    }
    throw systemError(fault.code, operation);
  }

  function sync(operation: string, descriptor: number): void {
    const file = fileOf(descriptor);
    try {
      attempt(operation, file.path, () => {
        synced.set(file.path, sizeOf(descriptor));
      });
    } catch (error) {
      if (file.flags !== 'directory') lose(descriptor, synced.get(file.path) ?? 0);
      throw error;
    }
  }

  /** Waits for what it has written, and for nothing that was written before. */
  function writeThrough(descriptor: number, write: () => number): number {
    const { path: file, flags } = fileOf(descriptor);
    const before = sizeOf(descriptor);
    const written = write();
    if (flags === 'as' && synced.get(file) === before) synced.set(file, before + written);
    return written;
  }

  function lose(descriptor: number, synced: number): void {
    const lost = sizeOf(descriptor) - synced;
    const kept = fault?.done === 'half' ? synced + Math.floor(lost / 2) : synced;
    if (lost > 0) nodeFileSystem.ftruncate(descriptor, kept);
  }

  function fileOf(descriptor: number): OpenFile {
    const file = files.get(descriptor);
    if (file === undefined) throw new Error(`${descriptor} is not an open file`);
    return file;
  }

  return {
    ...nodeFileSystem,
    calls,
    failed,
    open(file, flags) {
      let descriptor = -1;
      try {
        return attempt('open', file, () => {
          descriptor = nodeFileSystem.open(file, flags === 'as' ? 'a' : flags);
          files.set(descriptor, { path: file, flags });
          if (flags !== 'as') synced.set(file, sizeOf(descriptor));
          return descriptor;
        });
      } catch (error) {
        if (descriptor >= 0) nodeFileSystem.close(descriptor);
        throw error;
      }
    },
    write(descriptor, bytes, offset) {
      const middle = offset + Math.ceil((bytes.length - offset) / 2);
      const write = (to: number) => () =>
        writeThrough(descriptor, () => nodeFileSystem.write(descriptor, bytes.subarray(0, to), offset));
      const half = write(middle);
      const whole = write(bytes.length);
      return attempt('write', fileOf(descriptor).path, writesShort ? half : whole, half);
    },
    fsync: (descriptor) => sync('fsync', descriptor),
    fdatasync: (descriptor) => sync('fdatasync', descriptor),
    fdatasyncSoon: async (descriptor) => sync('fdatasync', descriptor),
    ftruncate: (descriptor, size) =>
      attempt('ftruncate', fileOf(descriptor).path, () => nodeFileSystem.ftruncate(descriptor, size)),
    close(descriptor) {
      const { path: file } = fileOf(descriptor);
      nodeFileSystem.close(descriptor); // Whatever a failing close reports, the descriptor is gone.
      attempt('close', file, () => undefined);
    },
    writeFile: (file, content) =>
      attempt(
        'writeFile',
        file,
        () => nodeFileSystem.writeFile(file, content),
        () => nodeFileSystem.writeFile(file, content.slice(0, content.length / 2)),
      ),
    rm: (file) => attempt('rm', file, () => nodeFileSystem.rm(file)),
    rename: (from, to) => attempt('rename', to, () => nodeFileSystem.rename(from, to)),
    link: (existing, added) => attempt('link', added, () => nodeFileSystem.link(existing, added)),
    mkdir: (directory) => attempt('mkdir', directory, () => nodeFileSystem.mkdir(directory)),
  };
}

function sizeOf(descriptor: number): number {
  return nodeFileSystem.fstat(descriptor).size;
}

function systemError(code: Fault['code'], operation: string): NodeJS.ErrnoException {
  const text = code === 'EIO' ? 'i/o error' : 'no space left on device';
  return Object.assign(new Error(`${code}: ${text}, ${operation}`), { code, syscall: operation });
}
