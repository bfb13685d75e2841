import { createHash } from 'node:crypto';
import path from 'node:path';
import type { FileReference } from '../graph/values/file-reference.js';
import { isRealDirectoryBelow } from './durable-file.js';
import type { FileSystem } from './file-system.js';

/**
 * Text of a file that a stage left, wherever a later visit has moved it: the content must be the one that the reference names
 * (SEMANTICS 104). A file may have grown since, by a process that the stage left behind.
 * @returns undefined if the file is gone, or has changed
 */
export function readReferenced(
  root: string,
  reference: FileReference,
  fileSystem: FileSystem,
): string | undefined {
  for (const file of candidates(root, reference, fileSystem)) {
    const content = contentOf(file, reference, fileSystem);
    if (content !== undefined) return content.toString('utf8');
  }
  return undefined;
}

function contentOf(
  file: string,
  { sha256, bytes }: FileReference,
  fileSystem: FileSystem,
): Buffer | undefined {
  try {
    const status = fileSystem.stat(file);
    if (status?.isFile() !== true || status.size < bytes) return undefined;
    const content = fileSystem.readFile(file).subarray(0, bytes);
    return createHash('sha256').update(content).digest('hex') === sha256 ? content : undefined;
  } catch {
    return undefined;
  }
}

/** The file as it was named, then those of the same name of all visits that are archived, the latest first. */
function* candidates(root: string, { $file }: FileReference, fileSystem: FileSystem): Iterable<string> {
  const stage = path.posix.dirname($file);
  const name = path.posix.basename($file);
  if (!isBelow($file) || !isRealDirectoryBelow(root, stage, fileSystem)) return;
  const directory = path.join(root, stage);
  yield path.join(directory, name);
  const archives = fileSystem.readdir(directory).filter((entry) => /^visit-[0-9]+$/.test(entry));
  const numberOf = (entry: string): number => Number(entry.slice('visit-'.length));
  for (const archive of archives.toSorted((one, other) => numberOf(other) - numberOf(one))) {
    if (isRealDirectoryBelow(directory, archive, fileSystem)) yield path.join(directory, archive, name);
  }
}

/** False for a path that a journal of somebody else leads out of the run. */
function isBelow(file: string): boolean {
  const parts = file.split('/');
  return parts.length > 1 && parts.every((part) => part !== '' && part !== '.' && part !== '..');
}
