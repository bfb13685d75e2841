import type { ViewScope } from './fold/run-view.js';
import { type RunPipeline, runPipelineOf } from './run-pipeline.js';
import { type RunVisits, runVisits } from './run-visits.js';

/** Pipeline of a run, and visits of its stages. */
export interface RunHistory extends RunVisits {
  readonly pipeline: RunPipeline;
}

/**
 * Reads a run, which may be under way. The visits are valid until the next reading.
 * @throws RunError where the run cannot be read
 */
export type ReadHistory = (directory: string, scope: Omit<ViewScope, 'nodes'>) => RunHistory;

/** Reads it in one pass; `HistoryCache` is for repeated requests. */
export const readHistory: ReadHistory = (directory, scope) => {
  const pipeline = runPipelineOf(directory);
  return { pipeline, ...runVisits(directory, { ...scope, nodes: pipeline.nodes }) };
};
