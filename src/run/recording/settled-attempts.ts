import type { RunEvent, StageCompleted, StageFailed, StageSkipped } from '../../machine/event.js';

/** Attempt that had an outcome. */
export interface SettledAttempt {
  /** `restart-<n>`, or nothing. */
  readonly place: string;
  readonly node_id: string;
  readonly visit: number;
  readonly attempt: number;
  /** Undefined on the main line. */
  readonly branch: string | undefined;
  readonly event: StageCompleted | StageFailed | StageSkipped;
}

/** Attempts of a journal with an outcome of their own, in that order; stopped ones had none. */
export function settledAttempts(events: readonly RunEvent[]): readonly SettledAttempt[] {
  let directory = '';
  return events.flatMap((event): SettledAttempt[] => {
    if (event.type === 'LoopRestarted') directory = event.directory;
    if (event.type !== 'StageCompleted' && event.type !== 'StageFailed' && event.type !== 'StageSkipped')
      return [];
    if (event.type === 'StageSkipped' && event.stopped) return [];
    const { node_id, visit, attempt, branch } = event;
    return [{ place: directory, node_id, visit, attempt, branch, event }];
  });
}
