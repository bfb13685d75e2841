import type { Clock } from '../../src/engine/runtime/clock.js';

/** 2026-01-01T00:00:00Z: where the time of a test begins. */
export const virtualStart = Date.UTC(2026, 0, 1);

export interface VirtualClock extends Clock {
  /** What was slept for, in milliseconds and in the order of the calls; the watches of timeouts are in it too. */
  readonly slept: readonly number[];
}

export interface VirtualClockOptions {
  /** Time stands still until this says true: for work that the clock cannot see, such as a real process. */
  readonly mayPass?: () => boolean;
  /** Fixes `random`; by default it is a sequence that a seed makes. */
  readonly random?: number;
  readonly seed?: number;
}

interface Timer {
  readonly at: number;
  readonly ring: () => void;
}

/** How many turns of the event loop nothing may have happened before the time jumps to the next timer. */
const idleTurns = 3;

/** A clock on which hours take milliseconds: when nothing else is going on, the time jumps to the earliest timer. */
export function virtualClock({
  mayPass = () => true,
  random,
  seed = 1,
}: VirtualClockOptions = {}): VirtualClock {
  let now = virtualStart;
  let isTicking = false;
  const timers = new Set<Timer>();
  const slept: number[] = [];
  const next = random === undefined ? mulberry32(seed) : () => random;

  function tick(turnsLeft: number, seen: number): void {
    if (timers.size === 0) {
      isTicking = false;
      return;
    }
    const quiet = seen === slept.length && mayPass();
    if (quiet && turnsLeft === 0) ringNext();
    const turns = quiet && turnsLeft > 0 ? turnsLeft - 1 : idleTurns;
    setImmediate(() => tick(turns, slept.length));
  }

  function ringNext(): void {
    const first = [...timers].reduce((one, other) => (other.at < one.at ? other : one));
    timers.delete(first);
    now = Math.max(now, first.at);
    first.ring();
  }

  return {
    slept,
    now: () => now,
    random: next,
    sleep(milliseconds, signal) {
      slept.push(milliseconds);
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const timer: Timer = {
          at: now + milliseconds,
          ring: () => {
            signal?.removeEventListener('abort', onAbort);
            resolve();
          },
        };
        const onAbort = (): void => {
          timers.delete(timer);
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        timers.add(timer);
        if (isTicking) return;
        isTicking = true;
        setImmediate(() => tick(idleTurns, slept.length));
      });
    },
  };
}

/** A small generator of uniform numbers: the same seed gives the same sequence. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
