import type { RunEvent } from '../../machine/event.js';
import type { StageStatus } from '../../machine/outcome.js';
import { restartDirectory } from '../../run-directory/stage-path.js';
import { applyAll } from '../../view/fold/apply.js';
import { emptyView, narrowScope, type RunView } from '../../view/fold/run-view.js';
import { isUnderWay, type VisitRecord } from '../../view/fold/visit-record.js';

/** A visit of a stage, in the order in which they began. */
export interface PathStep {
  readonly node_id: string;
  readonly visit: number;
  /** `restart-<n>`, or nothing. */
  readonly place: string;
  /** Undefined where it came to no outcome. */
  readonly status: StageStatus | undefined;
}

/** The way that a run took: one entry a visit, however often it was tried or resumed (SEMANTICS 88). */
export function recordedPath(events: readonly RunEvent[]): readonly PathStep[] {
  const view = applyAll(emptyView({ ...narrowScope, rows: events.length }), events);
  return view.visits.visits.map((visit) => ({
    node_id: visit.nodeId,
    visit: visit.entered,
    place: restartDirectory({ restarts: visit.restart }),
    status: outcomeOf(visit),
  }));
}

function outcomeOf({ status }: VisitRecord): StageStatus | undefined {
  return status === 'cut_off' || isUnderWay(status) ? undefined : status;
}

/** How a run ended, or that it has not. */
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
