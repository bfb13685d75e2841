import { readManifest } from '../run-directory/manifest.js';
import { runVisits } from './run-visits.js';
import type { Timeline } from './stage-schema.js';
import { rowOf } from './visit-record.js';

/**
 * The visits of all stages of a run so far, in the order in which they began (§9.5).
 * @param limit how many of them: the latest
 * @throws RunError where the run cannot be read
 */
export function timeline(directory: string, limit: number): Timeline {
  const { start_time } = readManifest(directory);
  // Where their files are is not asked.
  const { visits, omitted, startedAt, lastEventAt } = runVisits(directory, new Map(), {
    rows: limit,
    details: 0,
  });
  return {
    started_at: startedAt ?? start_time,
    ended_at: lastEventAt ?? start_time,
    visits: visits.map(rowOf),
    omitted,
  };
}
