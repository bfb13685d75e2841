import { onAbort } from '../../abort/abort.js';
import type { Clock } from '../driver/clock.js';
import { nextTurn } from '../driver/next-turn.js';
import { seededRandom } from './seeded-random.js';
import { type WakeUp, WakeUpQueue } from './wake-up-queue.js';

/**
 * Clock on which hours take milliseconds: when nothing else continues, the time jumps to the next sleeper.
 */
export interface VirtualClock extends Required<Clock> {}

export interface VirtualClockOptions {
  /** Start time in milliseconds since 1970; by default now. */
  readonly start?: number;
  /**
   * Decides random values: the spread of pauses, and the order of those whose turn comes at the same time.
   * Without one, those take turns in the order in which they came.
   */
  readonly seed?: number;
  /**
   * Time stands still until this returns true: for work that the clock cannot see and that cannot use
   * `hold`.
   */
  readonly mayPass?: () => boolean;
}

const defaultSeed = 1;

/**
 * Clock of a simulation (DESIGN §1.6, SEMANTICS 86). It notices activity by reads of the time, and assumes
 * that everything else takes no time; waits for the real world have to use `hold`.
 */
export function virtualClock({ start, seed, mayPass }: VirtualClockOptions = {}): VirtualClock {
  const time = new VirtualTime(start ?? Date.now(), mayPass);
  const chance = seededRandom(seed ?? defaultSeed);
  // A separate sequence: the number of random values elsewhere must not change the order of turns.
  const draw = seed === undefined ? () => 0 : seededRandom(-1 - seed);
  return {
    now: () => time.now(),
    random: chance,
    sleep: (milliseconds, signal) => time.sleep(milliseconds, draw(), signal),
    turn: () => time.sleep(0, draw()),
    hold: (work) => time.hold(work),
    catchUp: (past) => time.catchUp(past),
  };
}

/** Number of turns of the event loop without a read of the time, after which it jumps. */
const idleTurns = 3;

/** Last time that can be written; a longer sleep never ends. */
const endOfTime = 8.64e15;

class VirtualTime {
  readonly #queue = new WakeUpQueue();
  readonly #mayPass: () => boolean;
  #now: number;
  #holds = 0;
  #isTicking = false;
  #isBusy = true;
  #quietTurns = 0;

  constructor(start: number, mayPass: () => boolean = () => true) {
    this.#now = start;
    this.#mayPass = mayPass;
  }

  now(): number {
    this.#isBusy = true;
    return this.#now;
  }

  sleep(milliseconds: number, rank: number, signal?: AbortSignal): Promise<void> {
    this.#isBusy = true;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const wake = (): void => {
        release();
        resolve();
      };
      const leave = this.#queue.add({ at: this.#now + Math.max(0, milliseconds), rank, wake });
      const release = onAbort(signal, () => {
        leave();
        reject(signal?.reason);
      });
      this.#startTicking();
    });
  }

  async hold<Result>(work: Promise<Result>): Promise<Result> {
    this.#holds += 1;
    try {
      return await work;
    } finally {
      this.#holds -= 1;
      this.#isBusy = true;
      this.#startTicking();
    }
  }

  catchUp(past: number): void {
    this.#now = Math.max(this.#now, past);
  }

  #startTicking(): void {
    if (this.#isTicking || this.#holds > 0 || this.#nextWakeUp() === undefined) return;
    this.#isTicking = true;
    this.#quietTurns = 0;
    nextTurn(() => this.#tick());
  }

  /** Runs in each turn of the event loop, as long as there are sleepers and nothing holds the time. */
  #tick(): void {
    this.#isTicking = false;
    if (this.#holds > 0 || this.#nextWakeUp() === undefined) return;
    const wasBusy = this.#isBusy;
    const isQuiet = this.#mayPass() && !wasBusy;
    // The function that decides if it may pass may read the time.
    this.#isBusy = false;
    this.#quietTurns = isQuiet ? this.#quietTurns + 1 : 0;
    if (this.#quietTurns === idleTurns) this.#wakeNext();
    this.#isTicking = true;
    nextTurn(() => this.#tick());
  }

  #nextWakeUp(): WakeUp | undefined {
    const { next } = this.#queue;
    return next !== undefined && next.at <= endOfTime ? next : undefined;
  }

  #wakeNext(): void {
    const next = this.#queue.take();
    if (next === undefined) return;
    this.#now = Math.max(this.#now, next.at);
    this.#quietTurns = 0;
    next.wake();
  }
}
