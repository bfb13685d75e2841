import type { Usage } from '../machine/usage.js';
import { activeVisits } from '../view/active-stages.js';
import type { RunView } from '../view/fold/run-view.js';
import { stepsOf } from '../view/run-status.js';
import type { RunSummary } from '../view/summarize-run.js';

/** Progress of a run in a list. */
export type RunProgress = Pick<RunSummary, 'status' | 'steps' | 'current_node' | 'duration_ms'>;

/** Progress of a run, so far or at its end. */
export function progressOf(view: RunView): RunProgress {
  const { startedAt, endedAt } = view;
  const hasEnded = startedAt !== undefined && endedAt !== undefined;
  return {
    status: view.status,
    steps: stepsOf(view),
    current_node: activeVisits(view).at(-1)?.nodeId ?? view.lastSettled ?? null,
    duration_ms: hasEnded ? Date.parse(endedAt) - Date.parse(startedAt) : null,
  };
}

/** End of a run, as a list shows it. */
export interface RunEnd extends RunProgress {
  readonly failure_reason?: string | undefined;
  /** Usage of models; undefined if none was asked. */
  readonly usage?: Usage | undefined;
}

/** What is recorded at the end of a run besides its steps. */
export function endOf(view: RunView): RunEnd {
  const { total } = view.usage;
  return {
    ...progressOf(view),
    failure_reason: view.failure?.reason,
    usage: total.requests === 0 ? undefined : total,
  };
}
