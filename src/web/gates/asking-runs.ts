import type { RunListEntry } from '../../server/api/run.js';

/** The runs that wait for an answer, those that have waited longest first. */
export function askingRuns(runs: readonly RunListEntry[]): readonly RunListEntry[] {
  return runs.filter(({ open_questions }) => open_questions > 0).reverse();
}
