import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';

/**
 * Replaces a file so that a reader, and the next process after a crash, finds either the old or the new content whole:
 * temporary file, fsync, rename, fsync of the directory.
 */
export function writeFileAtomically(file: string, text: string): void {
  const temporary = `${file}.tmp`;
  const descriptor = openSync(temporary, 'w');
  try {
    writeWhole(descriptor, Buffer.from(text));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, file);
  syncDirectory(path.dirname(file));
}

/** Writes all of it, however many calls that takes. */
export function writeWhole(descriptor: number, bytes: Uint8Array): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(descriptor, bytes, written);
}

/**
 * Creates a directory and those above it, each durably. Not by Node's own `recursive`, which never comes back where the
 * system says that a directory cannot be created because it does not exist, as below /proc.
 */
export function makeDirectory(directory: string): void {
  if (isDirectory(directory)) return;
  const parent = path.dirname(directory);
  if (!existsSync(parent)) makeDirectory(parent);
  try {
    mkdirSync(directory);
  } catch (error) {
    // Another process may have been faster.
    if (!isDirectory(directory)) throw error;
  }
  syncDirectory(parent);
}

function isDirectory(directory: string): boolean {
  return statSync(directory, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Makes the names in a directory durable. */
function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
