import type { RunList, RunListEntry } from '../api/run.js';
import { ProblemError } from '../problem-error.js';
import type { RunListQuery } from './run-registry.js';

/** A page of the runs that are asked for, the newest first, and how many there are of each status (§9.5). */
export function selectRuns(entries: readonly RunListEntry[], query: RunListQuery): RunList {
  const { search, status, limit } = query;
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor);
  const found = search === undefined ? entries : matching(entries, search);
  const counts = new Map<string, number>();
  for (const { status: one } of found) counts.set(one, (counts.get(one) ?? 0) + 1);
  const wanted = found
    .filter((entry) => status === undefined || entry.status === status)
    .filter((entry) => after === undefined || newestFirst(entry, after) > 0)
    .sort(newestFirst);
  const runs = wanted.slice(0, limit);
  const last = runs.at(-1);
  const hasMore = wanted.length > runs.length && last !== undefined;
  return { runs, next_cursor: hasMore ? cursorOf(last) : null, counts: Object.fromEntries(counts) };
}

function matching(entries: readonly RunListEntry[], search: string): readonly RunListEntry[] {
  const words = search.toLowerCase();
  return entries.filter(({ id, name, goal }) =>
    [id, name, goal].some((text) => text.toLowerCase().includes(words)),
  );
}

type Place = Pick<RunListEntry, 'id' | 'start_time'>;

/** Order of runs, the newest first; those without a start time are last. */
function newestFirst(one: Place, other: Place): number {
  if (one.start_time !== other.start_time) return one.start_time < other.start_time ? 1 : -1;
  if (one.id === other.id) return 0;
  return one.id < other.id ? 1 : -1;
}

/** Cursor of a run, which stays valid when new ones come, or when it is removed itself. */
function cursorOf({ id, start_time }: Place): string {
  return `${start_time}~${id}`;
}

function readCursor(cursor: string): Place {
  const split = cursor.indexOf('~');
  if (split >= 0) return { start_time: cursor.slice(0, split), id: cursor.slice(split + 1) };
  throw new ProblemError('bad_request', 'the cursor is not a next_cursor returned by a list');
}
