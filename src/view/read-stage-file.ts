import { isOfOthers } from '../run-directory/stage-path.js';
import { narrowScope } from './fold/run-view.js';
import type { FoundFile } from './found-file.js';
import { type ReadingOptions, readConfined } from './read-confined.js';
import { type RunExtensions, runPipelineOf } from './run-pipeline.js';
import { runVisits } from './run-visits.js';
import { visitDirectory } from './visit-directory.js';

/** File of a visit, as `stageDetail` names it. */
export interface StageFileName {
  readonly nodeId: string;
  /** Visit by the count of `StageVisit.visit`; the latest if missing. */
  readonly visit?: number;
  /** Path below the directory of the visit, `/` between names. */
  readonly path: string;
}

/**
 * Reads a file of a stage's visit (§5.6) for an untrusted client: nodes and visits are looked up in the
 * journal, and no path or link leads out of the directory of the visit.
 * @throws RunError where the run cannot be read
 */
export function readStageFile(
  directory: string,
  { nodeId, visit: number, path: name }: StageFileName,
  options: ReadingOptions & RunExtensions = {},
): FoundFile {
  const { nodes } = runPipelineOf(directory, options);
  // Little of each visit is kept, and every one can be asked for.
  const { visits } = runVisits(directory, { ...narrowScope, nodes, nodeId, rows: Number.MAX_SAFE_INTEGER });
  const visit = number === undefined ? visits.at(-1) : visits.find((one) => one.visit === number);
  if (visit === undefined) return { kind: 'missing', message: noVisit(nodeId, number, visits.length) };
  const [first = ''] = name.split('/');
  if (isOfOthers(first)) {
    return {
      kind: 'missing',
      message: `"${first}" belongs to another visit of "${nodeId}"; name that visit`,
    };
  }
  return readConfined(directory, visitDirectory(visit), name, options);
}

function noVisit(nodeId: string, number: number | undefined, count: number): string {
  if (count === 0) return `stage "${nodeId}" has not been visited`;
  return `stage "${nodeId}" has no visit ${number}: there are visits 1 to ${count}`;
}
