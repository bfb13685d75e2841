import { setTimeout as sleep } from 'node:timers/promises';

/** How often it looks, within the time that somebody may be silent. */
const looks = 4;

/** Notices when nothing is heard of somebody for a while; to the quarter, because a timer for each word would cost more. */
export class IdleClock {
  #isQuiet = true;
  #holds = 0;

  heard(): void {
    this.#isQuiet = false;
  }

  /** While somebody else has to do something, silence is no wonder. */
  async hold<Result>(work: Promise<Result>): Promise<Result> {
    this.#holds += 1;
    try {
      return await work;
    } finally {
      this.#holds -= 1;
      this.#isQuiet = false;
    }
  }

  /** Resolves when nothing was heard for so long, in the time of real processes; rejects when the signal is aborted. */
  async expiry(milliseconds: number, signal: AbortSignal): Promise<void> {
    for (let quiet = 0; quiet < looks; quiet += 1) {
      await sleep(milliseconds / looks, undefined, { signal });
      if (!this.#isQuiet || this.#holds > 0) quiet = -1;
      this.#isQuiet = true;
    }
  }
}
