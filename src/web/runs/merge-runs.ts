import type { RunList, RunListEntry } from '../../server/api/run.js';

/** Runs after the first page, as they were when they were asked for. */
export interface OlderRuns {
  readonly runs: readonly RunListEntry[];
  readonly cursor: string | null;
}

export const noOlderRuns: OlderRuns = { runs: [], cursor: null };

export interface ShownRuns {
  readonly runs: readonly RunListEntry[];
  /** Cursor of the next page; null if there is none. */
  readonly cursor: string | null;
}

/**
 * Known part of the list, the newest first and each run once: the first page is the latest information
 * about its range, so that of the older ones only those after its end count.
 */
export function mergeRuns(first: RunList, older: OlderRuns): ShownRuns {
  const last = first.runs.at(-1);
  if (first.next_cursor === null || last === undefined) return { runs: first.runs, cursor: null };
  const known = new Set(first.runs.map(({ id }) => id));
  const behind = older.runs.filter(({ id, start_time }) => !known.has(id) && start_time <= last.start_time);
  if (behind.length === 0) return { runs: first.runs, cursor: first.next_cursor };
  return { runs: [...first.runs, ...behind], cursor: older.cursor };
}
