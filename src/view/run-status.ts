import type { RunState } from '../machine/state.js';

/** How well a run went (SEMANTICS 99). */
export type Quality = 'clean' | 'degraded' | 'failed';

/** `interrupted` where the journal says that the run goes on, but no living process executes it. */
export type OverviewStatus = 'running' | 'paused' | 'interrupted' | 'success' | 'fail' | 'cancelled';

/** Whether a run has come to an end, from which it goes on only where somebody resumes it. */
export function isOver(status: string): boolean {
  return status === 'success' || status === 'fail' || status === 'cancelled';
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
