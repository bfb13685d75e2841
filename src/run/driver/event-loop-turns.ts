import { nextTurn } from './next-turn.js';

/**
 * Maximum of stages that may end in a row, or fewer once they have taken so many milliseconds; a few always
 * may.
 */
const mostStages = 64;
const longestMs = 10;
const fewStages = 16;

/**
 * Counts the stages that end in one turn of the event loop. Stages that return at once, or with a resolved
 * promise, lead from one to the next without an end: timers, signals and everything else in the process
 * would wait for the whole run.
 */
export class EventLoopTurns {
  #stages = 0;
  /** Time at which the first of them ended, by the clock of the process. */
  #since = 0;

  /**
   * Counts a stage.
   * @returns true if others must have their turn before its consequences
   */
  isDue(): boolean {
    if (this.#stages === 0) this.#begin();
    this.#stages += 1;
    if (this.#stages < fewStages) return false;
    return this.#stages >= mostStages || performance.now() - this.#since >= longestMs;
  }

  #begin(): void {
    this.#since = performance.now();
    nextTurn(() => {
      this.#stages = 0;
    });
  }
}
