import path from 'node:path';
import { Journal } from '../journal/journal.js';
import { writeFileAtomically } from '../run-directory/durable-file.js';
import { FileStamps } from '../run-directory/file-stamps.js';
import { type FileSystem, nodeFileSystem } from '../run-directory/file-system.js';
import { jsonText } from '../run-directory/json-text.js';
import { runFiles } from '../run-directory/run-files.js';
import type { RunStore } from '../run-directory/run-store.js';
import { StageFiles, statusFileName } from '../run-directory/stage-files.js';
import { writing } from '../run-directory/storage-error.js';
import { OwnStatusFiles } from './driver/own-status-files.js';

/**
 * Opens the store of a run directory that exists.
 * @param journalSize where the journal's last whole line ends
 * @param isAlone whether nothing but the engine can write to the directories of stages
 */
export function openRunDirectory(
  givenPath: string,
  journalSize: number,
  fileSystem: FileSystem = nodeFileSystem,
  isAlone = false,
): RunStore {
  const directory = path.resolve(givenPath);
  const journalFile = path.join(directory, runFiles.journal);
  const journal = writing(journalFile, () => new Journal(journalFile, journalSize, fileSystem));
  const stamps = new FileStamps(fileSystem, () => journal.writtenAt);
  const stages = new StageFiles(directory, fileSystem, stamps, isAlone);
  const own = new OwnStatusFiles();
  return {
    directory,
    get journalSize() {
      return journal.size;
    },
    appendEvents: (events) => journal.append(events),
    appendEventsDurably: (events) => journal.appendDurably(events),
    syncEvents: () => journal.sync(),
    syncEventsSoon: () => journal.syncSoon(),
    writeCheckpoint: (checkpoint) =>
      writeJson(path.join(directory, runFiles.checkpoint), checkpoint, fileSystem),
    writeResult: (result) => void writeJson(path.join(directory, runFiles.result), result, fileSystem),
    recordActiveDirectory(name) {
      const file = path.join(directory, runFiles.manifest);
      writing(file, () => recordActiveDirectory(file, name, fileSystem));
    },
    stageDirectory: (nodeId) => stages.tellDirectoryOf(nodeId),
    makeStageDirectory: (nodeId) => stages.makeDirectory(nodeId),
    writeStageFile: (nodeId, name, text) => stages.write(nodeId, name, text),
    writeStatus(nodeId, text) {
      if (own.textOf(nodeId) === text) return;
      stages.write(nodeId, statusFileName, text);
      own.wrote(nodeId, text);
    },
    readForeignStatus(nodeId) {
      const text = own.textOf(nodeId);
      const file = stages.fileOf(nodeId, statusFileName);
      if (text !== undefined && stamps.isUnchanged(file)) return undefined;
      const found = stages.read(nodeId, statusFileName);
      if (found === text) {
        stamps.remember(file);
        return undefined;
      }
      own.forget(nodeId);
      return found;
    },
    clearStatus(nodeId, mayBeSought) {
      if (!mayBeSought && own.textOf(nodeId) !== undefined) return;
      own.forget(nodeId);
      stages.remove(nodeId, statusFileName);
    },
    openStageFile: (nodeId, name) => stages.open(nodeId, name),
    readStageFile(nodeId, name) {
      const found = stages.read(nodeId, name);
      return typeof found === 'string' ? found : undefined;
    },
    removeStageFile: (nodeId, name) => stages.remove(nodeId, name),
    archiveVisit(nodeId, visit) {
      if (stages.archiveVisit(nodeId, visit)) own.forget(nodeId);
    },
    close: () => journal.close(),
  };
}

function writeJson(file: string, value: object, fileSystem: FileSystem): number {
  return writing(file, () => writeFileAtomically(file, jsonText(value), fileSystem));
}

/**
 * Notes in `manifest.json` where the stages keep their files since the latest restart (SEMANTICS 36); a run that was never
 * restarted has no such entry.
 * @param name relative to the run directory
 */
function recordActiveDirectory(manifestFile: string, name: string, fileSystem: FileSystem): void {
  // As it is written there, with whatever this version knows nothing of.
  const manifest: object = JSON.parse(fileSystem.readFile(manifestFile).toString('utf8'));
  if ('active_directory' in manifest && manifest.active_directory === name) return;
  const text = `${JSON.stringify({ ...manifest, active_directory: name }, null, 2)}\n`;
  writeFileAtomically(manifestFile, text, fileSystem);
}
