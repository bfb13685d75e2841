import path from 'node:path';
import { isRealDirectory } from '../../run-directory/durable-file.js';
import type { FileSystem } from '../../run-directory/file-system.js';
import { type FileStore, hashOf, storedTogether } from './file-store.js';
import type { FileTree, KnownFile } from './file-tree.js';
import { isContent } from './known-content.js';

export interface FilesOfRun {
  /** The run directory, which exists. */
  readonly directory: string;
  readonly fileSystem: FileSystem;
  readonly store: FileStore;
  readonly tree: FileTree;
}

/** File that the history of a run names, and that cannot be had. */
export interface MissingFile {
  readonly path: string;
  readonly reason: string;
}

type StoredFile = Extract<KnownFile, { kind: 'stored' }>;

/**
 * Writes the files that a run has left, unless they are there already; every content is compared with its hash.
 * @returns those that are not in the store
 */
export async function writeFiles(run: FilesOfRun): Promise<readonly MissingFile[]> {
  const missing: MissingFile[] = [];
  let together: [string, StoredFile][] = [];
  let size = 0;
  const write = async (): Promise<void> => {
    missing.push(...(await writeTogether(run, together)));
    together = [];
    size = 0;
  };
  for (const [place, file] of run.tree.entries()) {
    if (file.kind === 'left_out') {
      missing.push({ path: place, reason: file.reason });
      continue;
    }
    if (isThere(run, place, file)) continue;
    if (size + file.size > storedTogether) await write();
    together.push([place, file]);
    size += file.size;
  }
  await write();
  return missing;
}

async function writeTogether(
  run: FilesOfRun,
  files: readonly (readonly [string, StoredFile])[],
): Promise<readonly MissingFile[]> {
  if (files.length === 0) return [];
  const hashes = new Set(files.flatMap(([, { parts }]) => parts.map(({ sha256 }) => sha256)));
  const contents = await run.store.get([...hashes]);
  const missing: MissingFile[] = [];
  for (const [place, { parts }] of files) {
    const pieces = parts.map(({ sha256 }) => verified(sha256, contents.get(sha256)));
    const problem = pieces.find((piece) => typeof piece === 'string');
    if (problem === undefined) writeFile(run, place, pieces as readonly Uint8Array[]);
    else missing.push({ path: place, reason: problem });
  }
  return missing;
}

/** Reason for a file of which the store has no content. */
export const contentMissing = 'its content is not in the store';

function verified(sha256: string, bytes: Uint8Array | undefined): Uint8Array | string {
  if (bytes === undefined) return contentMissing;
  return hashOf(bytes) === sha256 ? bytes : 'its content in the store is damaged';
}

function isThere({ directory, fileSystem }: FilesOfRun, place: string, file: StoredFile): boolean {
  try {
    const found = path.join(directory, place);
    const status = fileSystem.stat(found);
    return (
      status?.isFile() === true && status.size === file.size && isContent(fileSystem.readFile(found), file)
    );
  } catch {
    return false;
  }
}

function writeFile(
  { directory, fileSystem }: FilesOfRun,
  place: string,
  pieces: readonly Uint8Array[],
): void {
  makePlainDirectories(directory, path.posix.dirname(place), fileSystem);
  const [only] = pieces;
  const bytes = pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
  fileSystem.writeFile(path.join(directory, place), bytes);
}

/** Creates directories without syncing: what they hold can be had again. */
function makePlainDirectories(directory: string, place: string, fileSystem: FileSystem): void {
  let made = directory;
  for (const name of place.split('/')) {
    made = path.join(made, name);
    if (name !== '.' && !isRealDirectory(made, fileSystem)) fileSystem.mkdir(made);
  }
}
