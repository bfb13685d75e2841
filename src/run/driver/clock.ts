import { onAbort } from '../../abort/abort.js';
import { steadyTime } from './steady-time.js';

/** Time and chance, as a port: a test or a simulation brings its own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
  /** Resolves after so many milliseconds; rejects with the signal's reason when that is aborted first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Of a clock on which time jumps: it stands still until this work, of which the clock knows nothing, is done. */
  hold?<Result>(work: Promise<Result>): Promise<Result>;
  /** Of a simulation: resolves when it is one's turn among all who are ready at the same time. */
  turn?(): Promise<void>;
  /** Of a clock with a time of its own: it is at least that late, in milliseconds since 1970. */
  catchUp?(past: number): void;
}

/** Waits for what has no time of its own: for people, for files. */
export function holding<Result>(clock: Clock, work: Promise<Result>): Promise<Result> {
  return clock.hold === undefined ? work : clock.hold(work);
}

/** A longer timer would fire at once. */
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
 * A clock for a run that continues and whose own time may be ahead, as where it was simulated, or where the clock of the
 * machine has been set back since: it continues from there, so that what is waited for takes as long as it says.
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
