import path from 'node:path';
import { buildProgram } from '../graph/program.js';
import { graphHash } from '../journal/graph-hash.js';
import { damagedJournal, readJournal } from '../journal/journal.js';
import { evolveAll } from '../machine/evolve/evolve.js';
import { initialState } from '../machine/state.js';
import { checkpointOf } from '../run-directory/checkpoint.js';
import { nodeFileSystem } from '../run-directory/file-system.js';
import { jsonText } from '../run-directory/json-text.js';
import { readManifest } from '../run-directory/manifest.js';
import { readCheckpoint } from '../run-directory/read-checkpoint.js';
import { runFiles } from '../run-directory/run-files.js';
import { runPipelineOf } from './run-pipeline.js';

/**
 * Current checkpoint of a run, as JSON text (§5.3, §9.5). While a run is under way its file may be some
 * steps old, so the journal is folded; if plugins have changed the pipeline before it was run, only the
 * file can be used.
 * @param isUnderWay true if its journal may be ahead of its file
 * @returns undefined if there is none yet
 * @throws RunError where the run cannot be read
 */
export function currentCheckpoint(directory: string, isUnderWay: boolean): string | undefined {
  const written = readCheckpoint(directory);
  const state = isUnderWay || written === undefined ? foldedCheckpoint(directory) : undefined;
  if (state !== undefined) return state;
  return written === undefined ? undefined : JSON.stringify(written);
}

function foldedCheckpoint(directory: string): string | undefined {
  const manifest = readManifest(directory);
  const { graph, handlerTypes, nodes } = runPipelineOf(directory, {}, manifest);
  if (nodes.size === 0 || graphHash(graph) !== manifest.graph_hash) return undefined;
  const file = path.join(directory, runFiles.journal);
  if (!nodeFileSystem.exists(file)) return undefined;
  const { events } = readJournal(file, nodeFileSystem);
  const last = events.at(-1);
  if (last === undefined) return undefined;
  const state = evolveAll(buildProgram(graph, handlerTypes), initialState, events, ({ seq, type }) => {
    throw damagedJournal(file, seq, `its event ${type} does not fit`);
  });
  return [...jsonText(checkpointOf(state, manifest.graph_hash, Date.parse(last.timestamp)))].join('');
}
