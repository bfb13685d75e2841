import { setTimeout as sleep } from 'node:timers/promises';

/** Number of checks within the time limit. */
const looks = 4;

/**
 * Detects silence of an agent, with an error of at most a quarter of the limit, because a timer for each
 * message would cost more.
 */
export class IdleClock {
  #isQuiet = true;
  #holds = 0;

  heard(): void {
    this.#isQuiet = false;
  }

  /** Pauses the clock while the agent waits for someone else. */
  async hold<Result>(work: Promise<Result>): Promise<Result> {
    this.#holds += 1;
    try {
      return await work;
    } finally {
      this.#holds -= 1;
      this.#isQuiet = false;
    }
  }

  /** Resolves after so many milliseconds of silence, in real time; rejects when the signal is aborted. */
  async expiry(milliseconds: number, signal: AbortSignal): Promise<void> {
    for (let quiet = 0; quiet < looks; quiet += 1) {
      await sleep(milliseconds / looks, undefined, { signal });
      if (!this.#isQuiet || this.#holds > 0) quiet = -1;
      this.#isQuiet = true;
    }
  }
}
