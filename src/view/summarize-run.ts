import path from 'node:path';
import { z } from 'zod';
import { nodeFileSystem } from '../run-directory/file-system.js';
import { lockHolder } from '../run-directory/lock.js';
import { type Manifest, readManifest } from '../run-directory/manifest.js';
import { readCheckpoint } from '../run-directory/read-checkpoint.js';
import { RunError } from '../run-directory/run-error.js';
import { runFiles } from '../run-directory/run-files.js';
import { activeVisits } from './active-stages.js';
import type { RunView } from './fold/run-view.js';
import { readView } from './read-view.js';
import { stepsOf } from './run-status.js';

/** Run in a list: the facts in its files, without folding its journal where there is a checkpoint. */
export interface RunSummary {
  readonly run_id: string;
  readonly run_dir: string;
  readonly name: string;
  readonly goal: string;
  /** True if no stage of it does real work. */
  readonly simulated: boolean;
  readonly start_time: string;
  /**
   * `running` if a live process holds it, `queued` if it waits for a worker of its cluster, `interrupted` if the
   * process died, `damaged` if nothing can be read.
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
  const { recorded, current_node, steps, result } = progressOf(directory);
  const status = statusOf(directory, recorded);
  const hasStopped = status !== 'running' && status !== 'queued' && status !== 'interrupted';
  const summary = {
    run_id: manifest.run_id,
    run_dir: directory,
    name: manifest.name,
    goal: manifest.goal,
    simulated: manifest.options.simulate,
    start_time: manifest.start_time,
    status,
    current_node,
    steps,
    duration_ms: hasStopped ? (result?.duration_ms ?? null) : null,
  };
  return { summary, result };
}

interface Progress extends Pick<RunSummary, 'current_node' | 'steps'> {
  readonly recorded: string | undefined;
  readonly result: SummarizedResult | undefined;
}

function progressOf(directory: string): Progress {
  const checkpoint = readCheckpoint(directory);
  if (checkpoint === undefined) return progressInJournal(directory);
  const { status: recorded, current_node, completed_nodes: completed, restart: restarts } = checkpoint;
  const steps = stepsOf({ completed: completed.length, restarts });
  const result = readShape(path.join(directory, runFiles.result), resultShape);
  return { recorded, current_node, steps, result };
}

/** The same where only the journal knows, as in the copy of a run of a cluster. */
function progressInJournal(directory: string): Progress {
  const view = viewIfReadable(directory);
  if (view === undefined) return { recorded: undefined, current_node: null, steps: 0, result: undefined };
  return {
    recorded: view.status,
    current_node: activeVisits(view).at(-1)?.nodeId ?? view.lastSettled ?? null,
    steps: stepsOf(view),
    result: {
      duration_ms: Date.parse(view.lastEventTime ?? '') - Date.parse(view.startedAt ?? ''),
      failure_reason: view.failure?.reason,
      usage: view.usage.total,
    },
  };
}

function viewIfReadable(directory: string): RunView | undefined {
  try {
    const view = readView(directory);
    return view.startedAt === undefined ? undefined : view;
  } catch (error) {
    if (error instanceof RunError) return undefined;
    throw error;
  }
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
  const holder = lockHolder(path.join(directory, runFiles.lock));
  if (holder !== undefined) return holder.cluster?.worker === null ? 'queued' : 'running';
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
