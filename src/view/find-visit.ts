import { narrowScope } from './fold/run-view.js';
import type { VisitRecord } from './fold/visit-record.js';
import { type ReadHistory, readHistory } from './run-history.js';
import type { VisitName } from './values-of-visit.js';

/**
 * Finds a visit for a client that names a stage and a number.
 * @returns the reason if there is no such visit
 * @throws RunError where the run cannot be read
 */
export function findVisit(
  directory: string,
  { nodeId, visit: number }: VisitName,
  read: ReadHistory = readHistory,
): VisitRecord | string {
  // Little of each visit is kept, and every one can be asked for.
  const scope = { ...narrowScope, nodeId, rows: Number.MAX_SAFE_INTEGER };
  const { visits, pipeline } = read(directory, scope);
  const visit = number === undefined ? visits.at(-1) : visits.find((one) => one.visit === number);
  if (visit !== undefined) return visit;
  if (visits.length > 0)
    return `stage "${nodeId}" has no visit ${number}: there are visits 1 to ${visits.length}`;
  return pipeline.graph.nodes.has(nodeId)
    ? `stage "${nodeId}" has not been visited`
    : `the pipeline has no stage "${nodeId}"`;
}
