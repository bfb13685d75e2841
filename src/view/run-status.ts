import type { RunState } from '../machine/state.js';

/** How well a run went (SEMANTICS 99). */
export type Quality = 'clean' | 'degraded' | 'failed';

/** `interrupted` where the journal says that the run continues, but no living process executes it. */
export type OverviewStatus = 'running' | 'paused' | 'interrupted' | 'success' | 'fail' | 'cancelled';

/** Whether a run has come to an end, from which it continues only where somebody resumes it. */
export function isOver(status: string): boolean {
  return status === 'success' || status === 'fail' || status === 'cancelled';
}

/**
 * How many stages have settled since the last restart, one a visit, without start and exit: a run that has succeeded did so with
 * its exit.
 */
export function stepsOf({ status, settled, nodes, lastSettled = '' }: StepsSource): number {
  const isAtExit = status === 'success' && nodes.get(lastSettled)?.latest.next === undefined;
  return isAtExit ? Math.max(0, settled - 1) : settled;
}

/** Of the view; spelled out, because the types of the library lead here, and not to the schemas of the view. */
interface StepsSource {
  readonly status: string;
  readonly settled: number;
  readonly lastSettled: string | undefined;
  readonly nodes: ReadonlyMap<string, { readonly latest: { readonly next?: unknown } }>;
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
