import { statSync } from 'node:fs';
import path from 'node:path';
import { runFiles } from '../run-directory/run-files.js';
import type { CallEnvironment } from './extensions.js';
import { findRun, runIdsIn, runsHome } from './find-run.js';
import { UsageError } from './usage-error.js';

/**
 * Directory of the run that a call names, or of the latest run if it names none.
 * @throws RunError `run_not_found`, UsageError if there is no run
 */
export function findRunOrNewest(name: string | undefined, io: CallEnvironment): string {
  return name === undefined ? newestRunIn(runsHome(io.cwd())) : findRun(name, io.cwd());
}

/**
 * Directory of the latest run in a directory of runs.
 * @throws UsageError if there is no run
 */
export function newestRunIn(home: string): string {
  const ids = runIdsIn(home);
  const last = ids.at(-1);
  if (last === undefined) {
    throw new UsageError(`no runs found in ${runsHome('.')}; name a run, or the path of a run directory`);
  }
  // Ids begin with the second in which their run was started, and several may start in one second.
  const second = last.slice(0, 'yyyymmdd-hhmmss'.length);
  const [newest = last] = ids
    .filter((id) => id.startsWith(second))
    .sort((one, other) => birth(home, other) - birth(home, one));
  return path.join(home, newest);
}

function birth(home: string, id: string): number {
  return statSync(path.join(home, id, runFiles.pipeline), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
