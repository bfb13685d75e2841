import path from 'node:path';
import { toolRegister } from '../handlers/tools/tool-register.js';
import { type FileSystem, nodeFileSystem } from './file-system.js';

/** Names in a run directory (DESIGN §4). */
export const runFiles = {
  pipeline: 'pipeline.dot',
  manifest: 'manifest.json',
  journal: 'events.jsonl',
  checkpoint: 'checkpoint.json',
  result: 'result.json',
  lock: 'lock',
  /** Workers of its stages, in the copy of a spread run of a cluster. */
  stageWorkers: 'stage-workers.json',
  /** Processes of tools, for `resume` after a crash. */
  tools: toolRegister,
  artifacts: 'artifacts',
  /** Conversations with models, for later stages of their thread. */
  sessions: 'sessions',
  /**
   * Questions that wait for an answer; the hyphen distinguishes it from the directories of stages
   * (SEMANTICS 71).
   */
  questions: 'open-questions',
  recording: 'recording.jsonl',
  /** Outputs of tools that were too large for a line of the recording. */
  recordedOutputs: 'recorded-outputs',
  /** Work tree of the main line in a run with git; `branchWorkTrees` has those of the branches. */
  workTree: 'work-tree',
  branchWorkTrees: 'branch-work-trees',
} as const;

/** True if a directory holds a run, finished or not. */
export function holdsRun(directory: string, fileSystem: FileSystem = nodeFileSystem): boolean {
  return [runFiles.journal, runFiles.manifest].some((name) => fileSystem.exists(path.join(directory, name)));
}
