import path from 'node:path';
import { Journal, type JournalEnd } from '../journal/journal.js';
import { LateJournal } from '../journal/late-journal.js';
import { writeFileAtomically } from '../run-directory/durable-file.js';
import { FileStamps } from '../run-directory/file-stamps.js';
import { type FileSystem, nodeFileSystem } from '../run-directory/file-system.js';
import { jsonText } from '../run-directory/json-text.js';
import type { Lock } from '../run-directory/lock.js';
import { runFiles } from '../run-directory/run-files.js';
import type { RunStore } from '../run-directory/run-store.js';
import { StageFiles } from '../run-directory/stage-files.js';
import { StageStatuses } from '../run-directory/stage-statuses.js';
import { writing } from '../run-directory/storage-error.js';

interface RunDirectoryUse {
  /** True if nothing but the engine can write to the directories of stages. */
  readonly isAlone?: boolean;
  /** True if all that it has is kept elsewhere too: then what nobody looks for need not be there. */
  readonly isCache?: boolean;
  /** Lock of the run, without which nothing is appended to its journal. */
  readonly lock?: Pick<Lock, 'check'>;
}

/**
 * Opens the store of an existing run directory.
 * @param journalEnd end of the journal's last complete line; a promise while the file is still being written
 */
export function openRunDirectory(
  givenPath: string,
  journalEnd: JournalEnd | Promise<JournalEnd>,
  fileSystem: FileSystem = nodeFileSystem,
  { isAlone = false, isCache = false, lock }: RunDirectoryUse = {},
): RunStore {
  const directory = path.resolve(givenPath);
  const journalFile = path.join(directory, runFiles.journal);
  const checkOwner = (): void => lock?.check();
  const journalAt = (end: JournalEnd): Journal =>
    writing(journalFile, () => new Journal(journalFile, end, fileSystem, checkOwner, isCache));
  const journal =
    journalEnd instanceof Promise
      ? new LateJournal(journalEnd, journalAt, checkOwner)
      : journalAt(journalEnd);
  const stamps = new FileStamps(fileSystem, () => journal.writtenAt);
  const stages = new StageFiles(directory, fileSystem, stamps, isAlone);
  return {
    directory,
    journal,
    stages,
    statuses: new StageStatuses(stages, stamps, isCache),
    writeCheckpoint: (checkpoint) =>
      writeJson(path.join(directory, runFiles.checkpoint), checkpoint, fileSystem),
    writeResult: (result) => void writeJson(path.join(directory, runFiles.result), result, fileSystem),
    recordActiveDirectory(name) {
      const file = path.join(directory, runFiles.manifest);
      writing(file, () => recordActiveDirectory(file, name, fileSystem));
    },
    close: () => journal.close(),
  };
}

function writeJson(file: string, value: object, fileSystem: FileSystem): number {
  return writing(file, () => writeFileAtomically(file, jsonText(value), fileSystem));
}

/**
 * Records in `manifest.json` the directory of the stages' files since the latest restart (SEMANTICS 36); a
 * run that was never restarted has no such entry.
 * @param name relative to the run directory
 */
function recordActiveDirectory(manifestFile: string, name: string, fileSystem: FileSystem): void {
  // As it is written there, with fields unknown to this version.
  const manifest: object = JSON.parse(fileSystem.readFile(manifestFile).toString('utf8'));
  if ('active_directory' in manifest && manifest.active_directory === name) return;
  const text = `${JSON.stringify({ ...manifest, active_directory: name }, null, 2)}\n`;
  writeFileAtomically(manifestFile, text, fileSystem);
}
