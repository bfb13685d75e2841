import path from 'node:path';
import { type FileSystem, nodeFileSystem, temporaryName, writeWhole } from './file-system.js';

/** Directory for the runs of a project, next to its pipelines. */
export const attractorDirectory = '.attractor';

/**
 * Replaces a file atomically and durably, so that a reader, and the next process after a crash, finds
 * either the old or the new content whole: temporary file, fsync, rename, fsync of the directory. A failure
 * leaves no temporary file.
 * @param content text, whole or in pieces, or bytes
 * @returns its size in bytes
 */
export function writeFileAtomically(
  file: string,
  content: string | Iterable<string> | Uint8Array,
  fileSystem: FileSystem = nodeFileSystem,
): number {
  const temporary = temporaryName(file);
  const size = writeDurably(temporary, content, fileSystem);
  try {
    fileSystem.rename(temporary, file);
  } catch (error) {
    discard(temporary, fileSystem);
    throw error;
  }
  syncDirectory(path.dirname(file), fileSystem);
  return size;
}

/**
 * Writes a new file whose content, though not yet its name, is on the disk afterwards; on failure there is
 * no such file.
 */
function writeDurably(
  file: string,
  content: string | Iterable<string> | Uint8Array,
  fileSystem: FileSystem,
): number {
  try {
    const descriptor = fileSystem.open(file, 'wx');
    try {
      const size = writeContent(descriptor, content, fileSystem);
      fileSystem.fsync(descriptor);
      return size;
    } finally {
      fileSystem.close(descriptor);
    }
  } catch (error) {
    discard(file, fileSystem);
    throw error;
  }
}

function writeContent(
  descriptor: number,
  content: string | Iterable<string> | Uint8Array,
  fileSystem: FileSystem,
): number {
  if (!(content instanceof Uint8Array))
    return writePieces(descriptor, typeof content === 'string' ? [content] : content, fileSystem);
  writeWhole(descriptor, content, fileSystem);
  return content.length;
}

/** Characters that are written together. */
const writtenTogether = 1 << 16;

function writePieces(descriptor: number, pieces: Iterable<string>, fileSystem: FileSystem): number {
  let size = 0;
  let text = '';
  // One for all: memory outside of the heap is collected late.
  const buffer = Buffer.allocUnsafe(4 * writtenTogether);
  const write = (): void => {
    const bytes =
      3 * text.length <= buffer.length ? buffer.subarray(0, buffer.write(text)) : Buffer.from(text);
    writeWhole(descriptor, bytes, fileSystem);
    size += bytes.length;
    text = '';
  };
  for (const piece of pieces) {
    text += piece;
    if (text.length >= writtenTogether) write();
  }
  if (text !== '') write();
  return size;
}

/** Removes a file that a failure made useless; a second failure is ignored in favour of the first. */
export function discard(file: string, fileSystem: FileSystem): void {
  try {
    fileSystem.rm(file);
  } catch {
    // It is overwritten when the name is used again.
  }
}

/** Names of `temporaryName`, and those that earlier versions used. */
const temporaryFile = /\.[0-9a-f]{12}\.tmp$|^(?:checkpoint|manifest|result)\.json\.tmp$|^pipeline\.dot\.tmp$/;

/** True for the name of a file that a process is about to give its own name, or was. */
export function isTemporaryName(name: string): boolean {
  return temporaryFile.test(name);
}

/**
 * Removes the temporary files of a process that was killed while it replaced a file in a directory, which
 * need not exist.
 */
export function removeTemporaryFiles(directory: string, fileSystem: FileSystem = nodeFileSystem): void {
  if (!isDirectory(directory, fileSystem)) return;
  for (const name of fileSystem.readdir(directory)) {
    if (isTemporaryName(name)) discard(path.join(directory, name), fileSystem);
  }
}

/** Appends to a file, which is created if necessary, without following a link. */
export function appendText(file: string, text: string, fileSystem: FileSystem = nodeFileSystem): void {
  const descriptor = fileSystem.open(file, 'a');
  try {
    writeWhole(descriptor, Buffer.from(text), fileSystem);
  } finally {
    fileSystem.close(descriptor);
  }
}

/**
 * Creates a directory and those above it, each durably, without Node's own `recursive`, which never returns
 * if the system reports that a directory cannot be created because it does not exist, as below /proc. A new
 * `.attractor` tells git to ignore it.
 */
export function makeDirectory(directory: string, fileSystem: FileSystem = nodeFileSystem): void {
  if (isDirectory(directory, fileSystem)) return;
  const parent = path.dirname(directory);
  if (!fileSystem.exists(parent)) makeDirectory(parent, fileSystem);
  try {
    fileSystem.mkdir(directory);
  } catch (error) {
    // Another process may have been faster.
    if (!isDirectory(directory, fileSystem)) throw error;
  }
  if (path.basename(directory) === attractorDirectory) {
    writeFileAtomically(path.join(directory, '.gitignore'), '*\n', fileSystem);
  }
  syncDirectory(parent, fileSystem);
}

/**
 * True for a directory or a link to one, unlike `stat` of the path itself: the run directory may be a link.
 */
function isDirectory(directory: string, fileSystem: FileSystem): boolean {
  return fileSystem.exists(`${directory}${path.sep}.`);
}

/**
 * Creates a directory below one of a run, each part durably. Below a run directory every directory is a
 * real one: anything else in its place, such as a link, is refused.
 * @param below names with `/` between them
 */
export function makeDirectoryBelow(
  directory: string,
  below: string,
  fileSystem: FileSystem = nodeFileSystem,
): string {
  let made = directory;
  for (const name of below.split('/')) {
    const parent = made;
    made = path.join(parent, name);
    if (isRealDirectory(made, fileSystem)) continue;
    try {
      fileSystem.mkdir(made);
    } catch (error) {
      // Another process may have been faster.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isRealDirectory(made, fileSystem))
        throw error;
    }
    syncDirectory(parent, fileSystem);
  }
  return made;
}

/** @throws an error if something else has this name */
export function isRealDirectory(directory: string, fileSystem: FileSystem = nodeFileSystem): boolean {
  const found = fileSystem.stat(directory);
  if (found === undefined || found.isDirectory()) return found !== undefined;
  throw Object.assign(new Error(`${directory} is not a directory, but a file or a link; remove it`), {
    code: 'ENOTREAL',
  });
}

/**
 * True if a path below a directory of a run names a directory, with only real ones on the way; false for a
 * link or file in the place of one of them.
 * @param below names with `/` between them
 */
export function isRealDirectoryBelow(
  directory: string,
  below: string,
  fileSystem: FileSystem = nodeFileSystem,
): boolean {
  let found = directory;
  for (const name of below.split('/')) {
    found = path.join(found, name);
    if (fileSystem.stat(found)?.isDirectory() !== true) return false;
  }
  return true;
}

/** Makes a file that exists durable, and its name. */
export function syncFile(file: string, fileSystem: FileSystem): void {
  const descriptor = fileSystem.open(file, 'r');
  try {
    fileSystem.fsync(descriptor);
  } finally {
    fileSystem.close(descriptor);
  }
  syncDirectory(path.dirname(file), fileSystem);
}

/** Makes the names in a directory durable. */
function syncDirectory(directory: string, fileSystem: FileSystem): void {
  const descriptor = fileSystem.open(directory, 'directory');
  try {
    fileSystem.fsync(descriptor);
  } finally {
    fileSystem.close(descriptor);
  }
}
