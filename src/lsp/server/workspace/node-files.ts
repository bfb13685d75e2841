import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { DirectoryEntry, FileAccess } from './file-access.js';

/** Maximum size of a file in bytes: no pipeline and no prompt is larger. */
const largestFile = 8 * 1024 * 1024;

/** Files of this machine. */
export const nodeFiles: FileAccess = {
  read: (path) =>
    orUndefined(() => {
      const { size } = statSync(path);
      return size > largestFile ? undefined : readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
    }),
  mark: (path) =>
    orUndefined(() => {
      const { mtimeMs, size } = statSync(path);
      return `${mtimeMs} ${size}`;
    }),
  entries: async (path) => {
    const found = await readdir(path, { withFileTypes: true }).catch((): Dirent[] => []);
    return found.map(entryOf);
  },
  entriesNow: (path) => (orUndefined(() => readdirSync(path, { withFileTypes: true })) ?? []).map(entryOf),
};

function entryOf(entry: Dirent): DirectoryEntry {
  return { name: entry.name, isDirectory: entry.isDirectory() };
}

function orUndefined<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
