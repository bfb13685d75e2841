import { nextTurn } from './next-turn.js';

/** Stages that end in a row, and milliseconds that pass, before others have their turn. */
const stagesInARow = 64;
const longestMs = 10;

/**
 * Counts the stages that end in one turn of the event loop. Stages that come back at once, or with a promise that is there
 * at once, lead from one to the next without an end: timers, signals and everybody else in the process would wait for the
 * whole run.
 */
export class EventLoopTurns {
  #stages = 0;
  /** When the first of them ended; undefined after every turn. */
  #since: number | undefined;

  /** Counts a stage. @returns whether others are to have their turn before what follows from it */
  isDue(): boolean {
    if (this.#since === undefined) this.#begin();
    this.#stages += 1;
    return this.#stages >= stagesInARow || performance.now() - (this.#since ?? 0) >= longestMs;
  }

  #begin(): void {
    this.#stages = 0;
    this.#since = performance.now();
    nextTurn(() => {
      this.#since = undefined;
    });
  }
}
