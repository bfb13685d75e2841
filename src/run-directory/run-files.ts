import path from 'node:path';
import { toolRegister } from '../handlers/tools/tool-register.js';
import { type FileSystem, nodeFileSystem } from './file-system.js';

/** The names in a run directory (DESIGN §4). */
export const runFiles = {
  pipeline: 'pipeline.dot',
  manifest: 'manifest.json',
  journal: 'events.jsonl',
  checkpoint: 'checkpoint.json',
  result: 'result.json',
  lock: 'lock',
  /** Processes of tools, for `resume` after a crash. */
  tools: toolRegister,
  artifacts: 'artifacts',
  /** Questions that wait for somebody; the hyphen keeps it apart from the directories of stages (SEMANTICS 71). */
  questions: 'open-questions',
  recording: 'recording.jsonl',
  /** What tools printed, where that was too much for a line of the recording. */
  recordedOutputs: 'recorded-outputs',
  /** Where the stages of a run with git work: those of the main line, and below the other one those of each branch. */
  workTree: 'work-tree',
  branchWorkTrees: 'branch-work-trees',
} as const;

/** Whether a directory holds a run, finished or not. */
export function holdsRun(directory: string, fileSystem: FileSystem = nodeFileSystem): boolean {
  return [runFiles.journal, runFiles.manifest].some((name) => fileSystem.exists(path.join(directory, name)));
}
