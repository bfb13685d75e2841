import type { RunEvent } from '../../machine/event.js';
import type { StageStatus } from '../../machine/outcome.js';
import { restartDirectory } from '../../run-directory/stage-path.js';
import { applyAll } from '../../view/fold/apply.js';
import { emptyView, narrowScope, type RunView } from '../../view/fold/run-view.js';
import { isUnderWay, type VisitRecord } from '../../view/fold/visit-record.js';

/** Visit of a stage, in the order in which they began. */
export interface PathStep {
  readonly node_id: string;
  readonly visit: number;
  /** `restart-<n>`, or nothing. */
  readonly place: string;
  /** Undefined on the main line. */
  readonly branch: string | undefined;
  /** Undefined without an outcome. */
  readonly status: StageStatus | undefined;
}

/** Path of a run: one entry for each visit, however often it was retried or resumed (SEMANTICS 88). */
export function recordedPath(events: readonly RunEvent[]): readonly PathStep[] {
  const view = applyAll(emptyView({ ...narrowScope, rows: events.length }), events);
  return view.visits.visits.map((visit) => ({
    node_id: visit.nodeId,
    visit: visit.entered,
    place: restartDirectory({ restarts: visit.restart }),
    branch: visit.branch,
    status: outcomeOf(visit),
  }));
}

function outcomeOf({ status }: VisitRecord): StageStatus | undefined {
  return status === 'cut_off' || isUnderWay(status) ? undefined : status;
}

/** End of a run, or `unfinished`. */
export interface RecordedEnd {
  readonly status: 'success' | 'fail' | 'cancelled' | 'paused' | 'unfinished';
  readonly reason?: string;
}

export function recordedEnd(events: readonly RunEvent[]): RecordedEnd {
  const { status, failure, pausedReason }: RunView = applyAll(emptyView(), events);
  switch (status) {
    case 'fail':
      return { status, reason: failure?.reason };
    case 'paused':
      return { status, reason: pausedReason };
    case 'success':
    case 'cancelled':
      return { status };
    case 'created':
    case 'running':
      return { status: 'unfinished' };
  }
}
