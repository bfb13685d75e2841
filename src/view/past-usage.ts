import path from 'node:path';
import { JournalTail } from '../journal/journal-tail.js';
import type { RunEvent } from '../machine/event.js';
import { addUsage, noUsage, type Usage } from '../machine/usage.js';
import { linkOf } from '../run-directory/hashed-line.js';
import { type Manifest, readManifest } from '../run-directory/manifest.js';
import { RunError } from '../run-directory/run-error.js';
import { runFiles } from '../run-directory/run-files.js';
import { apply } from './fold/apply.js';
import { emptyView, type RunView } from './fold/run-view.js';

/** Pipeline whose past runs are wanted. */
export interface PipelineIdentity {
  readonly name: string;
  readonly graphHash: string;
}

/** Model usage of a pipeline's past runs. */
export interface PastUsage {
  /** Ids of those runs, the newest first. */
  readonly runIds: readonly string[];
  /** True if they ran exactly this pipeline; otherwise one of the same name, as it was then. */
  readonly isSamePipeline: boolean;
  /** True if all of them succeeded; otherwise they may have done only a part. */
  readonly areComplete: boolean;
  /** Usage by node, over all these runs. */
  readonly stages: ReadonlyMap<string, StagePast>;
  /** Run directories that could not be read, with the reason. */
  readonly unreadable: readonly string[];
}

/** Usage of all visits of one node together. */
export interface StagePast {
  readonly visits: number;
  readonly usage: Usage;
  /** Provider of the last reported request. */
  readonly provider: string;
  readonly model: string;
  /** All models used: agents and child runs may use several, each at its own price. */
  readonly models: ReadonlySet<string>;
}

/** Maximum of runs that are read: the latest. */
const runsRead = 20;

interface PastRun {
  readonly runId: string;
  readonly isSame: boolean;
  readonly succeeded: boolean;
  readonly stages: ReadonlyMap<string, StagePast>;
}

/**
 * Reads the usage of a pipeline's past runs: of the same graph if there are any, otherwise of the same
 * name; of successful ones if there are any. Simulated runs are left out.
 * @param directories of runs, the oldest first
 */
export function pastUsage(directories: readonly string[], pipeline: PipelineIdentity): PastUsage {
  const unreadable: string[] = [];
  const runs: PastRun[] = [];
  for (const directory of directories.toReversed()) {
    if (runs.filter(({ isSame }) => isSame).length >= runsRead) break;
    try {
      const run = readPastRun(directory, pipeline);
      if (run !== undefined) runs.push(run);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      unreadable.push(error instanceof RunError ? error.message : `${directory}: ${error.message}`);
    }
  }
  const same = runs.filter(({ isSame }) => isSame);
  const likely = same.length > 0 ? same : runs;
  const successful = likely.filter(({ succeeded }) => succeeded);
  const chosen = (successful.length > 0 ? successful : likely).slice(0, runsRead);
  return {
    runIds: chosen.map(({ runId }) => runId),
    isSamePipeline: same.length > 0,
    areComplete: successful.length > 0,
    stages: merged(chosen),
    unreadable,
  };
}

/** @returns undefined for a run of another pipeline, and for one without usage */
function readPastRun(directory: string, pipeline: PipelineIdentity): PastRun | undefined {
  const manifest: Manifest = readManifest(directory);
  if (manifest.name !== pipeline.name || manifest.options.simulate) return undefined;
  const view = emptyView();
  for (const line of new JournalTail(path.join(directory, runFiles.journal)).read())
    if (interesting.test(line)) apply(view, JSON.parse(linkOf(line).text) as RunEvent);
  if (view.usage.total.requests === 0) return undefined;
  return {
    runId: manifest.run_id,
    isSame: manifest.graph_hash === pipeline.graphHash,
    succeeded: view.status === 'success',
    stages: stagesOf(view),
  };
}

/** Filter for lines: most of a long journal need not be parsed. */
const interesting = /"type":"(?:StageStarted|ModelUsed|PipelineCompleted|PipelineResumed)"/;

function stagesOf({ nodes, usage }: RunView): ReadonlyMap<string, StagePast> {
  const stages = [...nodes].map(([id, { visits }]): [string, StagePast] => [
    id,
    { ...(usage.byNode.get(id) ?? nothingUsed), visits },
  ]);
  return new Map(stages);
}

const nothingUsed = { usage: noUsage, provider: '', model: '', models: new Set<string>() };

/** Combined usage; the newest run determines the last model. */
function merged(runs: readonly PastRun[]): ReadonlyMap<string, StagePast> {
  const stages = new Map<string, StagePast>();
  for (const run of runs) {
    for (const [id, past] of run.stages) {
      const sum = stages.get(id);
      if (sum === undefined) stages.set(id, past);
      else {
        const { model, provider } = sum.usage.requests > 0 ? sum : past;
        const usage = addUsage(sum.usage, past.usage);
        const models = new Set([...sum.models, ...past.models]);
        stages.set(id, { visits: sum.visits + past.visits, usage, model, provider, models });
      }
    }
  }
  return stages;
}
