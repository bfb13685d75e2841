import type { RunState } from '../machine/state.js';

/** How well a run went (SEMANTICS 99). */
export type Quality = 'clean' | 'degraded' | 'failed';

/** `interrupted` where the journal says that the run continues, but no living process executes it. */
export type OverviewStatus = 'running' | 'paused' | 'interrupted' | 'success' | 'fail' | 'cancelled';

/** Whether a run has come to an end, from which it continues only where somebody resumes it. */
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

/** How well a run went; so far, where it has not ended (SEMANTICS 99). */
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
