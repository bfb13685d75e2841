import path from 'node:path';
import { z } from 'zod';
import { nodeFileSystem } from '../run-directory/file-system.js';
import { lockHolder } from '../run-directory/lock.js';
import { type Manifest, readManifest } from '../run-directory/manifest.js';
import { readCheckpoint } from '../run-directory/read-checkpoint.js';
import { runFiles } from '../run-directory/run-files.js';
import { stepsOf } from './run-status.js';

/** A run in a list: what its files say without folding its journal. */
export interface RunSummary {
  readonly run_id: string;
  readonly run_dir: string;
  readonly name: string;
  readonly goal: string;
  /** Its no stage does real work. */
  readonly simulated: boolean;
  readonly start_time: string;
  /** `running` where a living process holds it, `interrupted` where one died with it, `damaged` where nothing can be read. */
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

/** What a list may tell of the end of a run, or of its latest pause. */
export type SummarizedResult = Readonly<z.infer<typeof resultShape>>;

/** Summarises a run directory; what is damaged is said to be so, never thrown. */
export function summarizeRun(directory: string): RunSummary {
  return summarizeRunAndResult(directory).summary;
}

/** The same, and what its `result.json` says, which is as old as its latest pause while it continues. */
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
