import type { Moment } from './run-on.js';

/** Moments of a simulation by hand, with the current one. */
export interface SimulationHistory {
  readonly moments: readonly Moment[];
  readonly index: number;
}

/** The moment that is looked at. */
export function present({ moments, index }: SimulationHistory): Moment {
  const moment = moments[index];
  if (moment === undefined) throw new Error('a simulation begins with a moment');
  return moment;
}

/** Adds moments after the current one, which drops the undone ones. */
export function extendHistory(
  { moments, index }: SimulationHistory,
  later: readonly Moment[],
): SimulationHistory {
  const kept = [...moments.slice(0, index + 1), ...later];
  return { moments: kept, index: kept.length - 1 };
}

/** Moves back (negative) or forward, within the existing moments. */
export function move(history: SimulationHistory, by: number): SimulationHistory {
  const index = Math.max(0, Math.min(history.moments.length - 1, history.index + by));
  return { ...history, index };
}
