import { onAbort } from '../../abort/abort.js';
import { steadyTime } from './steady-time.js';

/** Time and chance, as a port: a test or a simulation has its own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
  /** Resolves after so many milliseconds; rejects with the signal's reason when that is aborted first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Holds a clock on which time jumps, until this work is done, which the clock cannot see. */
  hold?<Result>(work: Promise<Result>): Promise<Result>;
  /** Resolves in a simulation when it is the caller's turn among all that are ready at the same time. */
  turn?(): Promise<void>;
  /** Advances a clock with its own time to at least this moment, in milliseconds since 1970. */
  catchUp?(past: number): void;
}

/** Waits for work without a time of its own: of people, on files. */
export function holding<Result>(clock: Clock, work: Promise<Result>): Promise<Result> {
  return clock.hold === undefined ? work : clock.hold(work);
}

/** Maximum of a timer: a longer one would fire at once. */
const longestTimer = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: steadyTime(
    () => Date.now(),
    () => performance.now(),
  ),
  random: () => Math.random(),
  async sleep(milliseconds, signal) {
    for (let rest = milliseconds; rest > 0; rest -= longestTimer) {
      await timer(Math.min(rest, longestTimer), signal);
    }
    signal?.throwIfAborted();
  },
};

/**
 * Clock for a run that continues, whose own time may be ahead because it was simulated, or because the
 * clock of the machine has been set back since: it continues from there, so that waits have their full
 * length.
 * @param start milliseconds since 1970
 */
export function clockFrom(clock: Clock, start: number): Clock {
  if (clock.catchUp !== undefined) {
    clock.catchUp(start);
    return clock;
  }
  const lead = start - clock.now();
  if (lead <= 0) return clock;
  const { hold, turn } = clock;
  return {
    now: () => clock.now() + lead,
    random: () => clock.random(),
    sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal),
    hold: hold && ((work) => hold.call(clock, work) as typeof work),
    turn: turn && (() => turn.call(clock)),
  };
}

function timer(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const handle = setTimeout(() => {
      release();
      resolve();
    }, milliseconds);
    const release = onAbort(signal, () => {
      clearTimeout(handle);
      reject(signal?.reason);
    });
  });
}
