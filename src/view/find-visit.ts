import { narrowScope } from './fold/run-view.js';
import type { VisitRecord } from './fold/visit-record.js';
import { type RunExtensions, runPipelineOf } from './run-pipeline.js';
import { runVisits } from './run-visits.js';
import type { VisitName } from './values-of-visit.js';

/**
 * Finds a visit for a client that names a stage and a number.
 * @returns the reason if there is no such visit
 * @throws RunError where the run cannot be read
 */
export function findVisit(
  directory: string,
  { nodeId, visit: number }: VisitName,
  extensions: RunExtensions = {},
): VisitRecord | string {
  const { nodes, graph } = runPipelineOf(directory, extensions);
  // Little of each visit is kept, and every one can be asked for.
  const { visits } = runVisits(directory, { ...narrowScope, nodes, nodeId, rows: Number.MAX_SAFE_INTEGER });
  const visit = number === undefined ? visits.at(-1) : visits.find((one) => one.visit === number);
  if (visit !== undefined) return visit;
  if (visits.length > 0)
    return `stage "${nodeId}" has no visit ${number}: there are visits 1 to ${visits.length}`;
  return graph.nodes.has(nodeId)
    ? `stage "${nodeId}" has not been visited`
    : `the pipeline has no stage "${nodeId}"`;
}
