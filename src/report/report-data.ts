import type { Layout } from '../render/layout.js';
import { type Manifest, readManifest } from '../run-directory/manifest.js';
import { narrowScope, type RunView } from '../view/fold/run-view.js';
import type { VisitRecord } from '../view/fold/visit-record.js';
import { artifactList } from '../view/run-artifacts.js';
import { lookAtRun, type RunOverview } from '../view/run-overview.js';
import { type RunExtensions, type RunPipeline, runPipelineOf } from '../view/run-pipeline.js';
import { shownVisits } from '../view/shown-visits.js';
import type { ArtifactList } from '../view/stage-schema.js';
import { type StageValues, stageValues, type WantedVisits } from '../view/stage-values.js';
import { traceOf } from '../view/trace-run.js';
import type { Allowance } from './allowance.js';
import { drawRun } from './draw-run.js';
import type { Html } from './html.js';

/** Values shared by all reports in one page. */
export interface ReportSetup {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly allowance: Allowance;
  readonly extensions: RunExtensions;
  readonly layout: Layout;
}

/** Data of the report of one run. */
export interface ReportData {
  readonly directory: string;
  readonly overview: RunOverview;
  /** Inputs recorded when the run started. */
  readonly inputs: Manifest['inputs'];
  readonly pipeline: RunPipeline;
  readonly view: RunView;
  /** Visits in the order in which they began, the latest last. */
  readonly visits: readonly VisitRecord[];
  /** Values that the visits in full read and gave. */
  readonly values: ReadonlyMap<number, StageValues>;
  readonly artifacts: ArtifactList['artifacts'];
  readonly picture: Html;
  /** Prefix of element ids, so that those of child runs differ. */
  readonly prefix: string;
}

const warningsKept = 200;

/** Share of the allowance that the visits of one run may use; the rest is for its child runs. */
const ownShare = 0.75;

/**
 * Reads what a report says of a run, which may be under way.
 * @throws RunError where the run cannot be read
 */
export async function reportData(
  directory: string,
  setup: ReportSetup & { readonly prefix: string },
): Promise<ReportData> {
  const { now, allowance, prefix, extensions, layout } = setup;
  const manifest = readManifest(directory);
  const pipeline = runPipelineOf(directory, extensions, manifest);
  const share = (count: number): number => Math.ceil(count * ownShare);
  const { nodes } = pipeline;
  const limits = { rows: share(allowance.rows), details: share(allowance.visits) };
  const scope = { ...narrowScope, ...limits, nodes, warnings: warningsKept, branches: true } as const;
  const { overview, view } = lookAtRun(directory, now, scope);
  const visits = shownVisits(view, overview.process !== null);
  allowance.rows -= visits.length;
  allowance.visits -= Math.min(visits.length, limits.details);
  return {
    directory,
    overview,
    inputs: manifest.inputs,
    pipeline,
    view,
    visits,
    prefix,
    values: stageValues(directory, pipeline, inFull(visits)),
    artifacts: artifactList(directory).artifacts,
    picture: await drawRun(pipeline, traceOf(view, pipeline.graph, overview), allowance, prefix, layout),
  };
}

function inFull(visits: readonly VisitRecord[]): WantedVisits {
  return new Map(
    visits.flatMap(({ details, index, nodeId }) => (details === undefined ? [] : [[index, nodeId]])),
  );
}
