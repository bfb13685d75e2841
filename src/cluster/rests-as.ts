import type { RunView } from '../view/fold/run-view.js';

/** Reason of the pause by which a worker hands a run over to others. */
export const handedOver = 'the worker is leaving; another one continues';

/** True if a run waits for a person who lets it continue. @param problem of a worker that stops it */
export function restsAs({ status, pausedReason }: RunView, problem: string | undefined): boolean {
  return problem !== undefined || (status === 'paused' && pausedReason !== handedOver);
}
