import { waitsForPeople } from '../active-stages.js';
import type { RunView, WorkedTime } from './run-view.js';

/** Counts the time for which a run is worked on, after an event. */
export function countWork(view: RunView, timestamp: string): void {
  const isWorking = view.status === 'running' && !waitsForPeople(view);
  if (isWorking === (view.worked.since !== undefined)) return;
  view.worked = { ms: workedUntil(view.worked, timestamp), since: isWorking ? timestamp : undefined };
}

/** Milliseconds for which a run was worked on until a time. */
export function workedUntil({ ms, since }: WorkedTime, until: string): number {
  return since === undefined ? ms : ms + Math.max(0, Date.parse(until) - Date.parse(since));
}
