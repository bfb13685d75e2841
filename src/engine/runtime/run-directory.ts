import path from 'node:path';
import { recordActiveDirectory } from './active-directory.js';
import { writeFileAtomically } from './durable-file.js';
import { type FileSystem, nodeFileSystem } from './file-system.js';
import { Journal } from './journal.js';
import { OwnStatusFiles } from './own-status-files.js';
import { describeSystemError, RunError } from './run-error.js';
import { runFiles } from './run-files.js';
import type { RunStore } from './run-store.js';

/** Opens the store of a run directory that exists. @param journalSize where the journal's last whole line ends */
export function openRunDirectory(
  givenPath: string,
  journalSize: number,
  fileSystem: FileSystem = nodeFileSystem,
): RunStore {
  const directory = path.resolve(givenPath);
  const journalFile = path.join(directory, runFiles.journal);
  const journal = guard(journalFile, () => new Journal(journalFile, journalSize, fileSystem));
  const made = new Set<string>();
  const own = new OwnStatusFiles();
  const stageDirectory = (nodeId: string): string => path.join(directory, nodeId);
  const makeStageDirectory = (nodeId: string): void => {
    if (made.has(nodeId)) return;
    // A stage after a restart, or in a branch, has its directory below others.
    const above = path.posix.dirname(nodeId);
    if (above !== '.') makeStageDirectory(above);
    guard(stageDirectory(nodeId), () => makePlainDirectory(stageDirectory(nodeId), fileSystem));
    made.add(nodeId);
  };
  const writeStageFile = (nodeId: string, name: string, text: string): void => {
    makeStageDirectory(nodeId);
    const file = path.join(stageDirectory(nodeId), name);
    guard(file, () => fileSystem.writeFile(file, text));
  };
  const readStageFile = (nodeId: string, name: string): string | undefined => {
    const file = path.join(stageDirectory(nodeId), name);
    // Asked for after every stage, and seldom there: an exception each time would be dear.
    if (!fileSystem.exists(file)) return undefined;
    try {
      return fileSystem.readFile(file).toString('utf8');
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw storageError(file, 'read', error);
    }
  };
  const removeStageFile = (nodeId: string, name: string): void => {
    const file = path.join(stageDirectory(nodeId), name);
    if (fileSystem.exists(file)) guard(file, () => fileSystem.rm(file));
  };
  return {
    directory,
    get journalSize() {
      return journal.size;
    },
    appendEvents: (events) => journal.append(events),
    syncEvents: () => journal.sync(),
    syncEventsSoon: () => journal.syncSoon(),
    writeCheckpoint: (checkpoint) =>
      writeJson(path.join(directory, runFiles.checkpoint), checkpoint, fileSystem),
    writeResult: (result) => void writeJson(path.join(directory, runFiles.result), result, fileSystem),
    recordActiveDirectory(name) {
      const file = path.join(directory, runFiles.manifest);
      guard(file, () => recordActiveDirectory(file, name, fileSystem));
    },
    stageDirectory,
    makeStageDirectory,
    writeStageFile,
    writeStatus(nodeId, text) {
      if (own.textOf(nodeId) === text) return;
      writeStageFile(nodeId, statusFileName, text);
      own.wrote(nodeId, text);
    },
    readForeignStatus(nodeId) {
      const text = readStageFile(nodeId, statusFileName);
      if (text === own.textOf(nodeId)) return undefined;
      own.forget(nodeId);
      return text;
    },
    clearStatus(nodeId, mayBeSought) {
      if (!mayBeSought && own.textOf(nodeId) !== undefined) return;
      own.forget(nodeId);
      removeStageFile(nodeId, statusFileName);
    },
    openStageFile(nodeId, name) {
      makeStageDirectory(nodeId);
      const file = path.join(stageDirectory(nodeId), name);
      return guard(file, () => fileSystem.open(file, 'w+'));
    },
    readStageFile,
    removeStageFile,
    archiveVisit(nodeId, visit) {
      if (archiveVisit(stageDirectory(nodeId), visit, fileSystem)) own.forget(nodeId);
    },
    close: () => journal.close(),
  };
}

function writeJson(file: string, value: object, fileSystem: FileSystem): number {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  guard(file, () => writeFileAtomically(file, text, fileSystem));
  return text.length;
}

const statusFileName = 'status.json';

/** The status goes last: as long as it is there, the files belong to a visit that has settled. */
function archiveVisit(directory: string, visit: number, fileSystem: FileSystem): boolean {
  return guard(directory, () => {
    if (!fileSystem.exists(path.join(directory, statusFileName))) return false;
    const names = fileSystem.readdir(directory).filter((name) => !/^(?:visit|branch)-[0-9]+$/.test(name));
    const others = names.filter((name) => name !== statusFileName);
    const archive = path.join(directory, `visit-${visit}`);
    if (others.length === 0 && !fileSystem.exists(archive)) return false;
    makePlainDirectory(archive, fileSystem);
    for (const name of [...others, statusFileName]) {
      const archived = path.join(archive, name);
      guard(archived, () => fileSystem.rename(path.join(directory, name), archived));
    }
    return true;
  });
}

/** Creates a directory in one that exists; of these there are many, and losing one in a crash loses nothing. */
function makePlainDirectory(directory: string, fileSystem: FileSystem): void {
  try {
    fileSystem.mkdir(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function storageError(file: string, wanted: 'read' | 'written', error: unknown): RunError {
  return new RunError(
    'storage',
    `${file} could not be ${wanted}: ${describeSystemError(error)}. The run was stopped; all stages that had finished before are recorded, and \`attractor resume\` goes on from there once the cause is gone`,
    { cause: error },
  );
}

function guard<Result>(file: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    if (error instanceof RunError) throw error;
    throw storageError(file, 'written', error);
  }
}
