import path from 'node:path';
import { z } from 'zod';
import { nodeFileSystem } from '../run-directory/file-system.js';
import { lockHolder } from '../run-directory/lock.js';
import { type Manifest, readManifest } from '../run-directory/manifest.js';
import { readCheckpoint } from '../run-directory/read-checkpoint.js';
import { runFiles } from '../run-directory/run-files.js';
import { stepsOf } from './run-status.js';

/** Run in a list: the facts in its files, without folding its journal. */
export interface RunSummary {
  readonly run_id: string;
  readonly run_dir: string;
  readonly name: string;
  readonly goal: string;
  /** True if no stage of it does real work. */
  readonly simulated: boolean;
  readonly start_time: string;
  /**
   * `running` if a live process holds it, `interrupted` if that process died, `damaged` if nothing can be
   * read.
   */
  readonly status: string;
  readonly current_node: string | null;
  readonly steps: number;
  /** Milliseconds; null while it has not ended. */
  readonly duration_ms: number | null;
}

const resultShape = z.object({
  duration_ms: z.number(),
  failure_reason: z.string().optional(),
  usage: z
    .object({
      requests: z.number(),
      input_tokens: z.number(),
      output_tokens: z.number(),
      cost_usd: z.number().optional(),
    })
    .optional(),
});

/** Part of a result that a list shows, of the end of a run or of its latest pause. */
export type SummarizedResult = Readonly<z.infer<typeof resultShape>>;

/** Summarizes a run directory; a damaged one is marked as such, never thrown. */
export function summarizeRun(directory: string): RunSummary {
  return summarizeRunAndResult(directory).summary;
}

/**
 * Summarizes a run directory, with its `result.json`, which is as old as the latest pause while the run
 * continues.
 */
export function summarizeRunAndResult(directory: string): {
  readonly summary: RunSummary;
  readonly result: SummarizedResult | undefined;
} {
  let manifest: Manifest;
  try {
    manifest = readManifest(directory);
  } catch {
    const run_id = path.basename(directory);
    return { summary: { ...unknownRun, run_id, run_dir: directory, status: 'damaged' }, result: undefined };
  }
  const checkpoint = readCheckpoint(directory);
  const status = statusOf(directory, checkpoint?.status);
  const result = readShape(path.join(directory, runFiles.result), resultShape);
  const summary = {
    run_id: manifest.run_id,
    run_dir: directory,
    name: manifest.name,
    goal: manifest.goal,
    simulated: manifest.options.simulate,
    start_time: manifest.start_time,
    status,
    current_node: checkpoint?.current_node ?? null,
    steps:
      checkpoint === undefined
        ? 0
        : stepsOf({ completed: checkpoint.completed_nodes.length, restarts: checkpoint.restart }),
    duration_ms: status === 'running' || status === 'interrupted' ? null : (result?.duration_ms ?? null),
  };
  return { summary, result };
}

const unknownRun = {
  name: '',
  goal: '',
  simulated: false,
  start_time: '',
  current_node: null,
  steps: 0,
  duration_ms: null,
} as const;

function statusOf(directory: string, recorded: string | undefined): string {
  if (lockHolder(path.join(directory, runFiles.lock)) !== undefined) return 'running';
  if (recorded === undefined || recorded === 'running' || recorded === 'created') return 'interrupted';
  return recorded;
}

function readShape<Shape>(file: string, shape: z.ZodType<Shape>): Shape | undefined {
  try {
    return shape.parse(JSON.parse(nodeFileSystem.readFile(file).toString('utf8')));
  } catch {
    return undefined;
  }
}
