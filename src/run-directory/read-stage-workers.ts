import path from 'node:path';
import { nodeFileSystem } from './file-system.js';
import { runFiles } from './run-files.js';
import { noStageWorkers, type StageWorkers } from './stage-workers.js';

/** Workers of stages as the copy of a run says; none if it does not. */
export function readStageWorkers(directory: string): StageWorkers {
  try {
    const text = nodeFileSystem.readFile(path.join(directory, runFiles.stageWorkers)).toString('utf8');
    const entries = Object.entries(JSON.parse(text) as object);
    return new Map(entries.map(([key, worker]) => [key, String(worker)]));
  } catch {
    // It is replaced all the time, and nothing depends on it.
    return noStageWorkers;
  }
}
