import type { RunState } from '../machine/state.js';

/** Quality of a run (SEMANTICS 99). */
export type Quality = 'clean' | 'degraded' | 'failed';

/**
 * `interrupted` if the journal says that the run continues, but no live process executes it; `queued` if it waits for a worker of its
 * cluster.
 */
export type OverviewStatus =
  | 'queued'
  | 'running'
  | 'paused'
  | 'interrupted'
  | 'success'
  | 'fail'
  | 'cancelled';

/** True if a run has ended, and continues only if it is resumed. */
export function isOver(status: string): boolean {
  return status === 'success' || status === 'fail' || status === 'cancelled';
}

/** The visits of a run that have settled since its last restart, without that of the exit. */
interface CompletedVisits {
  readonly completed: number;
  readonly restarts: number;
}

/** Stages of a run that have settled since its last restart, one a visit: without start, which comes before any restart, and exit. */
export function stepsOf({ completed, restarts }: CompletedVisits): number {
  return restarts === 0 ? Math.max(0, completed - 1) : completed;
}

/** Quality of a run; so far, if it has not ended (SEMANTICS 99). */
export function qualityOf({
  status,
  statuses,
  failedBranches,
}: {
  readonly status: RunState['status'];
  readonly statuses: Pick<RunState['statuses'], 'values'>;
  readonly failedBranches: Pick<RunState['failedBranches'], 'values'>;
}): Quality {
  if (status === 'fail' || status === 'cancelled') return 'failed';
  const isClean =
    [...statuses.values()].every((last) => last === 'success' || last === 'skipped') &&
    ![...failedBranches.values()].includes(true);
  return isClean ? 'clean' : 'degraded';
}
