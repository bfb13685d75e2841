import { isOfOthers } from '../run-directory/stage-path.js';
import { findVisit } from './find-visit.js';
import type { FoundFile } from './found-file.js';
import { type ReadingOptions, readConfined } from './read-confined.js';
import type { ReadHistory } from './run-history.js';
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
  options: ReadingOptions = {},
  read?: ReadHistory,
): FoundFile {
  const visit = findVisit(directory, { nodeId, visit: number }, read);
  if (typeof visit === 'string') return { kind: 'missing', message: visit };
  const [first = ''] = name.split('/');
  if (isOfOthers(first)) {
    return {
      kind: 'missing',
      message: `"${first}" belongs to another visit of "${nodeId}"; name that visit`,
    };
  }
  return readConfined(directory, visitDirectory(visit), name, options);
}
