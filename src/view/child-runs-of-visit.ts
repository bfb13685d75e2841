import path from 'node:path';
import { compareNames } from '../run-directory/compare-names.js';
import { isRealDirectory } from '../run-directory/durable-file.js';
import { nodeFileSystem } from '../run-directory/file-system.js';
import { holdsRun } from '../run-directory/run-files.js';
import type { VisitRecord } from './fold/visit-record.js';
import type { StageVisit } from './stage-schema.js';
import { summarizeRun } from './summarize-run.js';
import { visitDirectory } from './visit-directory.js';

/**
 * Runs that a visit has started, one for each attempt (§9.4, SEMANTICS 64).
 * @param directory of the run
 */
export function childRunsOfVisit(
  directory: string,
  visit: Pick<VisitRecord, 'place' | 'archivedAs'>,
): StageVisit['child_runs'] {
  const visitPath = visitDirectory(visit);
  return namesIn(path.join(directory, visitPath))
    .filter((name) => /^child(?:-[0-9]+)?$/.test(name) && isChildRun(path.join(directory, visitPath, name)))
    .sort(compareNames)
    .map((child) => {
      const { run_id, name, status } = summarizeRun(path.join(directory, visitPath, child));
      return { run_id, name, status, path: `${visitPath}/${child}` };
    });
}

/** True for a child run, but not for a link to a run elsewhere. */
function isChildRun(directory: string): boolean {
  return nodeFileSystem.stat(directory)?.isDirectory() === true && holdsRun(directory);
}

function namesIn(directory: string): readonly string[] {
  try {
    return isRealDirectory(directory) ? nodeFileSystem.readdir(directory) : [];
  } catch {
    return [];
  }
}
