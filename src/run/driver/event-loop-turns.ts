import { nextTurn } from './next-turn.js';

/** So many stages may end in a row, or fewer once they have taken so many milliseconds; a few always may. */
const mostStages = 64;
const longestMs = 10;
const fewStages = 16;

/**
 * Counts the stages that end in one turn of the event loop. Stages that come back at once, or with a promise that is there
 * at once, lead from one to the next without an end: timers, signals and everybody else in the process would wait for the
 * whole run.
 */
export class EventLoopTurns {
  #stages = 0;
  /** When the first of them ended, by the time of the process. */
  #since = 0;

  /** Counts a stage. @returns whether others are to have their turn before what follows from it */
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
