import { runOwner } from '../run-directory/run-requests.js';
import type { RunView, ViewScope } from './fold/run-view.js';
import type { VisitRecord } from './fold/visit-record.js';
import { readView } from './read-view.js';
import { shownVisits } from './shown-visits.js';

/** Visits of a run so far, and the view that they are from. */
export interface RunVisits {
  readonly view: RunView;
  /** Visits in the order in which they began. */
  readonly visits: readonly VisitRecord[];
  /** Number of earlier visits. */
  readonly omitted: number;
}

/**
 * Reads the journal of a run, which may be under way, in one pass.
 * @throws RunError `run_damaged`
 */
export function runVisits(directory: string, scope: ViewScope): RunVisits {
  // Read first: events that a process writes in between are then still its own.
  const isExecuted = runOwner(directory) !== undefined;
  const view = readView(directory, scope);
  return { view, visits: shownVisits(view, isExecuted), omitted: view.visits.omitted };
}
