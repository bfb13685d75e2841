import path from 'node:path';
import type { RunEvent } from '../machine/event.js';
import type { Outcome } from '../machine/outcome.js';
import type { RunState } from '../machine/state.js';
import { statusFile } from './attempt-runner.js';
import { checkpointOf } from './checkpoint.js';
import { type FileSystem, nodeFileSystem } from './file-system.js';
import { statusFileText } from './read-outcome.js';
import { openRunDirectory, runFiles } from './run-directory.js';
import { type RunResult, resultOf } from './run-result.js';
import type { RunStore } from './run-store.js';

/**
 * Writes what a crash kept from being written once its event was in the journal. Resuming writes a new checkpoint and a
 * new result itself; a run that had succeeded gets them here.
 */
export function restoreViews(
  directory: string,
  journalSize: number,
  events: readonly RunEvent[],
  state: RunState,
  graphHash: string,
  fileSystem: FileSystem = nodeFileSystem,
): void {
  const store = openRunDirectory(directory, journalSize, fileSystem);
  try {
    restoreStatusFiles(events, store);
    if (state.status !== 'success' || state.endedAt === undefined) return;
    const checkpoint = readJson(directory, runFiles.checkpoint, fileSystem) as
      | { readonly seq?: unknown }
      | undefined;
    if (checkpoint?.seq !== state.seq) store.writeCheckpoint(checkpointOf(state, graphHash, state.endedAt));
    const result = readJson(directory, runFiles.result, fileSystem) as Partial<RunResult> | undefined;
    if (result?.status !== 'success')
      store.writeResult(resultOf(state, path.resolve(directory), state.endedAt));
  } finally {
    store.close();
  }
}

/** Every stage that is not under way has the status of its latest attempt (§5.6). */
function restoreStatusFiles(events: readonly RunEvent[], store: RunStore): void {
  const latest = new Map<string, Outcome>();
  for (const event of events) {
    if (event.type === 'StageStarted') latest.delete(event.node_id);
    else if ('outcome' in event) latest.set(event.node_id, event.outcome);
  }
  for (const [nodeId, outcome] of latest) {
    const text = statusFileText(outcome);
    if (store.readStageFile(nodeId, statusFile) !== text) store.writeStageFile(nodeId, statusFile, text);
  }
}

function readJson(directory: string, name: string, fileSystem: FileSystem): unknown {
  try {
    return JSON.parse(fileSystem.readFile(path.join(directory, name)).toString('utf8'));
  } catch {
    return undefined;
  }
}
