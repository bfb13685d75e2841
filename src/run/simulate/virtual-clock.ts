import { onAbort } from '../../abort/abort.js';
import type { Clock } from '../driver/clock.js';
import { nextTurn } from '../driver/next-turn.js';
import { seededRandom } from './seeded-random.js';
import { type WakeUp, WakeUpQueue } from './wake-up-queue.js';

/** A clock on which hours take milliseconds: when nothing else continues, the time jumps to whoever wakes up next. */
export interface VirtualClock extends Required<Clock> {}

export interface VirtualClockOptions {
  /** Where the time begins, in milliseconds since 1970; by default now. */
  readonly start?: number;
  /**
   * Decides what is left to chance: the spread of pauses, and the order of those whose turn comes at the same time. Without
   * one, those take turns in the order in which they came.
   */
  readonly seed?: number;
  /** Time stands still until this says true: for what the clock cannot see and nobody can `hold` it for. */
  readonly mayPass?: () => boolean;
}

const defaultSeed = 1;

/**
 * The clock of a simulation (DESIGN §1.6, SEMANTICS 86). It sees what goes on by being asked for the time, and takes it
 * that everything else is done at once; whatever waits for the real world has to `hold` it.
 */
export function virtualClock({ start, seed, mayPass }: VirtualClockOptions = {}): VirtualClock {
  const time = new VirtualTime(start ?? Date.now(), mayPass);
  const chance = seededRandom(seed ?? defaultSeed);
  // Its own sequence: how often others leave something to chance must not change who comes first.
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

/** How many turns of the event loop nobody may have asked for the time before it jumps. */
const idleTurns = 3;

/** The last moment that can be written down; who sleeps longer never wakes up. */
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

  /** In each turn of the event loop, as long as somebody sleeps and nothing holds the time. */
  #tick(): void {
    this.#isTicking = false;
    if (this.#holds > 0 || this.#nextWakeUp() === undefined) return;
    const wasBusy = this.#isBusy;
    const isQuiet = this.#mayPass() && !wasBusy;
    // Whoever decides whether it may pass may look at the time.
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
