import path from 'node:path';
import type { Stage } from '../../handlers/handler.js';
import { type FileSystem, nodeFileSystem } from '../../run-directory/file-system.js';
import type { Manifest } from '../../run-directory/manifest.js';
import { readPipeline } from '../../run-directory/read-pipeline.js';
import { RunError } from '../../run-directory/run-error.js';
import { findRecordedChild } from './find-child.js';
import { type RecordedRun, readRecordedRun } from './recorded-run.js';
import type { Replay } from './replay.js';
import { ReplayWatch } from './replay-divergence.js';

/** Recorded run, and the watch for a divergence of its replay, or of the replay of the run above. */
export interface ReplaySource {
  readonly recorded: RecordedRun;
  readonly watch: ReplayWatch;
}

/** @throws RunError `usage` if the run was not recorded, `run_not_found`, `run_damaged` or `storage` */
export function replaySource(directory: string, fileSystem: FileSystem = nodeFileSystem): ReplaySource {
  return { recorded: readRecordedRun(directory, fileSystem), watch: new ReplayWatch() };
}

/**
 * Source of a resumed replay; undefined for another run.
 * @param ofParent source of a child, from the run above
 */
export function sourceAgain(
  { options }: Manifest,
  ofParent: (() => ReplaySource) | undefined,
  fileSystem: FileSystem,
): ReplaySource | undefined {
  if (options.replay_of === undefined) return undefined;
  return ofParent?.() ?? replaySource(options.replay_of, fileSystem);
}

/** Text of the pipeline that a stage ran then; undefined if it ran none. */
export function childText(replay: Replay, stage: Stage): string | undefined {
  const directory = recordedChild(replay, stage);
  return directory === undefined ? undefined : readPipeline(directory, replay.fileSystem);
}

/**
 * Source for the child of a stage (§9.4).
 * @throws ReplayDivergence if the stage had none then
 */
export function childReplaySource(replay: Replay, stage: Stage): ReplaySource {
  const { node, visit, attempt } = stage;
  const { recorded, watch, fileSystem } = replay;
  const directory = recordedChild(replay, stage);
  const where = `the replay diverges from ${recorded.manifest.run_id}: "${node.id}" (visit ${visit}, attempt ${attempt})`;
  if (directory === undefined) throw watch.diverge(`${where} runs a pipeline, but ran none in the recording`);
  try {
    return { recorded: readRecordedRun(directory, fileSystem), watch };
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    throw watch.diverge(`${where} runs a pipeline that cannot be replayed: ${error.message}`);
  }
}

function recordedChild(
  { recorded, fileSystem, directory: home }: Replay,
  { node, visit, attempt, stageDirectory }: Stage,
): string | undefined {
  const relativePath = path.relative(path.resolve(home), path.resolve(stageDirectory));
  return findRecordedChild(recorded, { place: relativePath, nodeId: node.id, visit, attempt }, fileSystem);
}
