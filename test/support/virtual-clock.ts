import type { Clock } from '../../src/run/driver/clock.js';
import * as simulated from '../../src/run/simulate/virtual-clock.js';

/** 2026-01-01T00:00:00Z: where the time of a test begins. */
export const virtualStart = Date.UTC(2026, 0, 1);

/** Branches that are ready at the same time continue at once, and nobody can hold the time. */
export interface VirtualClock extends Clock {
  /** What was slept for, in milliseconds and in the order of the calls; the watches of timeouts are in it too. */
  readonly slept: readonly number[];
}

export interface VirtualClockOptions {
  /** Time stands still until this says true: for work that the clock cannot see, such as a real process. */
  readonly mayPass?: () => boolean;
  /** Fixes `random`; by default it is a sequence that a seed makes. */
  readonly random?: number;
}

/** A clock on which hours take milliseconds, and which begins at the same time in every test. */
export function virtualClock({ mayPass, random }: VirtualClockOptions = {}): VirtualClock {
  const clock = simulated.virtualClock({ start: virtualStart, mayPass });
  const slept: number[] = [];
  return {
    slept,
    now: clock.now,
    random: random === undefined ? clock.random : () => random,
    sleep(milliseconds, signal) {
      slept.push(milliseconds);
      return clock.sleep(milliseconds, signal);
    },
  };
}
