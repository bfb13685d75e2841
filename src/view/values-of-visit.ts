import { narrowScope } from './fold/run-view.js';
import { type RunExtensions, runPipelineOf } from './run-pipeline.js';
import { runVisits } from './run-visits.js';
import { type StageValues, stageValues } from './stage-values.js';

/** Visit of a stage by its ordinal; the latest one if that is missing. */
export interface VisitName {
  readonly nodeId: string;
  readonly visit?: number | undefined;
}

/**
 * Values that a visit read and gave.
 * @returns undefined if there is no such visit
 * @throws RunError where the run cannot be read
 */
export function valuesOfVisit(
  directory: string,
  { nodeId, visit: number }: VisitName,
  extensions: RunExtensions = {},
): (StageValues & { readonly visit: number }) | undefined {
  const rows = number === undefined ? 1 : Number.MAX_SAFE_INTEGER;
  const { visits } = runVisits(directory, { ...narrowScope, nodeId, rows });
  const visit = number === undefined ? visits.at(-1) : visits.find((one) => one.visit === number);
  if (visit === undefined) return undefined;
  const pipeline = runPipelineOf(directory, extensions);
  const values = stageValues(directory, pipeline, new Map([[visit.index, nodeId]])).get(visit.index);
  return { visit: visit.visit, read: values?.read ?? [], gave: values?.gave ?? [] };
}
