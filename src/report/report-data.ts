import type { LogAppended } from '../machine/event.js';
import { type Manifest, readManifest } from '../run-directory/manifest.js';
import { artifactList } from '../view/run-artifacts.js';
import { overviewOf, type RunOverview } from '../view/run-overview.js';
import { type RunExtensions, type RunPipeline, runPipelineOf } from '../view/run-pipeline.js';
import { type RunVisits, runVisits } from '../view/run-visits.js';
import type { ArtifactList } from '../view/stage-schema.js';
import { traceRun } from '../view/trace-run.js';
import type { Allowance } from './allowance.js';
import { drawRun } from './draw-run.js';
import type { Html } from './html.js';
import { type ModelRow, ModelUsage } from './model-usage.js';

/** All that a report says of one run. */
export interface ReportData {
  readonly directory: string;
  readonly overview: RunOverview;
  /** What the run was given. */
  readonly inputs: Manifest['inputs'];
  readonly pipeline: RunPipeline;
  readonly visits: RunVisits;
  readonly models: readonly ModelRow[];
  /** The latest warnings of the run log. */
  readonly warnings: readonly Warning[];
  readonly artifacts: ArtifactList['artifacts'];
  readonly picture: Html;
  /** In front of the ids of elements, so that those of child runs are others. */
  readonly prefix: string;
}

export type Warning = Pick<LogAppended, 'message' | 'node_id'> & { readonly at: string };

const warningsKept = 200;

/** Of what a report may still hold, how much the visits of one run may take. */
const ownShare = 0.75;

/**
 * Reads what a report says of a run, which may be under way.
 * @throws RunError where the run cannot be read
 */
export async function reportData(
  directory: string,
  now: number,
  setup: { readonly allowance: Allowance; readonly prefix: string; readonly extensions: RunExtensions },
): Promise<ReportData> {
  const { allowance, prefix, extensions } = setup;
  const overview = overviewOf(directory, now);
  const manifest = readManifest(directory);
  const pipeline = runPipelineOf(directory, extensions, manifest);
  const models = new ModelUsage();
  const warnings: Warning[] = [];
  // What is left is for the child runs.
  const share = (count: number): number => Math.ceil(count * ownShare);
  const selection = { rows: share(allowance.rows), details: share(allowance.visits) };
  const visits = runVisits(directory, pipeline.nodes, selection, (event) => {
    models.add(event);
    if (event.type !== 'LogAppended' || event.level !== 'warning') return;
    warnings.push({ message: event.message, node_id: event.node_id, at: event.timestamp } as Warning);
    if (warnings.length > 2 * warningsKept) warnings.splice(0, warningsKept);
  });
  allowance.rows -= visits.visits.length;
  allowance.visits -= Math.min(visits.visits.length, selection.details);
  const trace = traceRun(directory, pipeline.graph, overview);
  return {
    directory,
    overview,
    inputs: manifest.inputs,
    pipeline,
    visits,
    prefix,
    models: models.rows,
    warnings: warnings.slice(-warningsKept),
    artifacts: artifactList(directory).artifacts,
    picture: await drawRun(pipeline, trace, allowance, prefix),
  };
}
