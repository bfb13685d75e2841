import { useState } from 'preact/hooks';
import type { AcceptedRun, RunAction } from '../../server/api/run.js';
import { type Failure, failureOf } from '../api/failure.js';
import { part, requestJson } from '../api/request.js';

export interface PendingAction {
  readonly isBusy: boolean;
  readonly failure: Failure | undefined;
  /** Asks it of the run. @param onAccepted called with the run that the server answers with */
  readonly ask: (body: object, onAccepted: (run: AcceptedRun) => void) => Promise<void>;
}

/** An action on a run that is asked of the server at most once at a time. */
export function useAction(runId: string, action: RunAction): PendingAction {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const ask: PendingAction['ask'] = async (body, onAccepted) => {
    if (isBusy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const path = `pipelines/${part(runId)}/${action}`;
      onAccepted(await requestJson<AcceptedRun>(path, { method: 'POST', body }));
    } catch (error) {
      setFailure(failureOf(error));
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, failure, ask };
}
