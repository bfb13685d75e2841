import path from 'node:path';
import { makeDirectory, writeFileAtomically } from '../../run-directory/durable-file.js';
import { type FileSystem, nodeFileSystem } from '../../run-directory/file-system.js';
import type { FileStore } from './file-store.js';

/** Files of a run in a directory, and those from before it was used in the database. New ones go to the directory. */
export function filesIn(
  directory: string,
  runId: string,
  database: FileStore,
  fileSystem: FileSystem = nodeFileSystem,
): FileStore {
  const shared = sharedDirectory(directory, runId, fileSystem);
  return {
    put: (contents) => shared.put(contents),
    async get(hashes) {
      const found = await shared.get(hashes);
      const others = hashes.filter((sha256) => !found.has(sha256));
      return others.length === 0 ? found : new Map([...found, ...(await database.get(others))]);
    },
  };
}

/** Files of a run in a directory that all workers share: `<run>/<first two digits>/<hash>`. */
function sharedDirectory(directory: string, runId: string, fileSystem: FileSystem): FileStore {
  const fileOf = (sha256: string): string => path.join(directory, runId, sha256.slice(0, 2), sha256);
  return {
    async put(contents) {
      for (const { sha256, bytes } of contents) {
        const file = fileOf(sha256);
        if (fileSystem.stat(file)?.size === bytes.length) continue;
        makeDirectory(path.dirname(file), fileSystem);
        writeFileAtomically(file, bytes, fileSystem);
      }
    },
    async get(hashes) {
      const found = new Map<string, Uint8Array>();
      for (const sha256 of hashes) {
        const file = fileOf(sha256);
        if (fileSystem.exists(file)) found.set(sha256, fileSystem.readFile(file));
      }
      return found;
    },
  };
}
