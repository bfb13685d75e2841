import { readManifest } from '../run-directory/manifest.js';
import { narrowScope } from './fold/run-view.js';
import { runVisits } from './run-visits.js';
import { rowOf } from './shown-visits.js';
import type { Timeline } from './stage-schema.js';

/**
 * Visits of all stages of a run so far, in the order in which they began (§9.5).
 * @param limit maximum number: the latest
 * @throws RunError where the run cannot be read
 */
export function timeline(directory: string, limit: number): Timeline {
  const { start_time } = readManifest(directory);
  const { view, visits, omitted } = runVisits(directory, { ...narrowScope, rows: limit });
  return {
    started_at: view.startedAt ?? start_time,
    ended_at: view.lastEventTime ?? start_time,
    visits: visits.map(rowOf),
    omitted,
  };
}
