import type { RunEvent } from '../../machine/event.js';
import type { StageStatus } from '../../machine/outcome.js';

/** A visit of a stage, in the order in which they began. */
export interface PathStep {
  readonly node_id: string;
  readonly visit: number;
  /** `restart-<n>`, or nothing. */
  readonly place: string;
  /** Undefined where it came to no outcome. */
  readonly status: StageStatus | undefined;
}

/** The way that a journal tells of: one entry a visit, however often it was tried or gone on with (SEMANTICS 88). */
export function recordedPath(events: readonly RunEvent[]): readonly PathStep[] {
  const steps = new Map<string, PathStep>();
  let place = '';
  for (const event of events) {
    if (event.type === 'LoopRestarted') place = event.directory;
    if (
      event.type !== 'StageStarted' &&
      event.type !== 'StageCompleted' &&
      event.type !== 'StageFailed' &&
      event.type !== 'StageSkipped'
    )
      continue;
    const { node_id, visit } = event;
    const key = JSON.stringify([place, node_id, visit]);
    // An attempt that is followed by another one is not the end of its visit.
    const isSettled = 'outcome' in event && !('will_retry' in event && event.will_retry);
    const status = isSettled ? event.outcome.status : undefined;
    steps.set(key, { node_id, visit, place, status });
  }
  return [...steps.values()];
}

/** How a run ended, or that it has not. */
export interface RecordedEnd {
  readonly status: 'success' | 'fail' | 'cancelled' | 'paused' | 'unfinished';
  readonly reason?: string;
}

export function recordedEnd(events: readonly RunEvent[]): RecordedEnd {
  const last = events.findLast(({ type }) => type.startsWith('Pipeline') && type !== 'PipelinePausing');
  switch (last?.type) {
    case 'PipelineCompleted':
      return { status: 'success' };
    case 'PipelineFailed':
      return { status: 'fail', reason: last.error };
    case 'PipelineCancelled':
      return { status: 'cancelled' };
    case 'PipelinePaused':
      return { status: 'paused', reason: last.reason };
    default:
      return { status: 'unfinished' };
  }
}
