import { holdsRun } from '../../run-directory/run-files.js';
import type { RunStatusName } from '../api/run.js';
import type { RunEnvironment } from './ready-run.js';
import type { RunDetails } from './run-details.js';
import type { RunExecutor } from './run-executor.js';
import type { RunIndex } from './run-index.js';
import { readWaiting } from './server-files.js';

/** Shared parts of all operations on a server's runs. */
export interface RunParts {
  readonly environment: RunEnvironment;
  readonly home: string;
  readonly index: RunIndex;
  readonly executor: RunExecutor;
  readonly details: RunDetails;
  readonly now: () => number;
  /** Aborted when the server stops. */
  readonly closing: AbortSignal;
}

/**
 * Status of a run.
 * @throws ProblemError `not_found`
 */
export function statusOf({ index, executor, details }: RunParts, id: string): RunStatusName {
  const own = executor.own(id);
  if (own !== undefined) return details.ofOwn(own).status;
  const directory = index.directoryOf(id);
  if (executor.queue.has(id)) return 'queued';
  return holdsRun(directory) ? details.ofOther(id, directory).status : statusOfUnstarted(directory);
}

/** Status of a run that waits in the queue, or never began. */
function statusOfUnstarted(directory: string): RunStatusName {
  const waiting = readWaiting(directory);
  return waiting?.kind === 'start' && waiting.refused !== undefined ? 'fail' : 'queued';
}
