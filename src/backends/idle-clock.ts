import { setTimeout as sleep } from 'node:timers/promises';

/** Number of checks within the time limit. */
const looks = 4;

/** Waits; rejects when the signal is aborted. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Time as it passes for agents and servers, also where that of a run is simulated. */
export const realSleep: Sleep = (milliseconds, signal) => sleep(milliseconds, undefined, { signal });

/**
 * Detects silence of an agent or of a server, with an error of at most a quarter of the limit, because a timer for each
 * message would cost more.
 */
export class IdleClock {
  readonly #sleep: Sleep;
  readonly #isHeld: () => boolean;
  #isQuiet = true;
  #holds = 0;

  /** @param isHeld true while the other side waits for someone else */
  constructor(ofTime: Sleep = realSleep, isHeld = () => false) {
    this.#sleep = ofTime;
    this.#isHeld = isHeld;
  }

  heard(): void {
    this.#isQuiet = false;
  }

  /** Pauses the clock while the other side waits for someone else. */
  async hold<Result>(work: Promise<Result>): Promise<Result> {
    this.#holds += 1;
    try {
      return await work;
    } finally {
      this.#holds -= 1;
      this.#isQuiet = false;
    }
  }

  /** Resolves after so many milliseconds of silence; rejects when the signal is aborted. */
  async expiry(milliseconds: number, signal: AbortSignal): Promise<void> {
    for (let quiet = 0; quiet < looks; quiet += 1) {
      await this.#sleep(milliseconds / looks, signal);
      if (!this.#isQuiet || this.#holds > 0 || this.#isHeld()) quiet = -1;
      this.#isQuiet = true;
    }
  }
}
