import type { RunStatusName } from '../../server/api/run.js';

/** Selection of runs to show. */
export interface RunListQuestion {
  readonly search: string;
  readonly status: RunStatusName | undefined;
}

/** Number of runs on a page of the list, and maximum that the server returns at once. */
const pageLength = 50;
const longestPage = 200;

/** The address of the first so many runs: those that are shown already come in one piece, so that none of them gets old. */
export function firstRunsPath(question: RunListQuestion, shown: number): string {
  const limit = Math.min(longestPage, Math.max(pageLength, Math.ceil(shown / pageLength) * pageLength));
  return runListPath(question, { limit: String(limit) });
}

/** Path of the page after the shown runs. */
export function nextRunsPath(question: RunListQuestion, cursor: string): string {
  return runListPath(question, { limit: String(pageLength), cursor });
}

function runListPath({ search, status }: RunListQuestion, rest: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(rest);
  if (search !== '') query.set('search', search);
  if (status !== undefined) query.set('status', status);
  return `pipelines?${query}`;
}
