import type { Clock } from './clock.js';

const alwaysSaved = 20;
const savedInCrowd = 2;
/** Number of runs in a process above which they share the time for it. */
const crowd = 8;
const shortestPauseMs = 250;
const pausePerCost = 50;
const smallestGrowth = 1 / 8;

/**
 * Decides when `checkpoint.json` is worth rewriting (DESIGN §4): after every node in a short run; in a long
 * one when the journal has grown by its size again, or, once it has grown by an eighth of the checkpoint's
 * size, after a pause that keeps the time spent on it under a fiftieth. A run of n steps therefore spends
 * O(n) on checkpoints, although each holds the whole run: at most eight bytes for one of the journal,
 * however slow the stages are. If a process drives many runs, all of them together keep to that fiftieth.
 */
export class CheckpointSchedule {
  readonly #clock: Clock;
  readonly #runsAtOnce: () => number;
  #saved = 0;
  #journalSizeWhenSaved = 0;
  #checkpointSize = 0;
  #nextAt = 0;

  /** @param runsAtOnce number of runs that the process drives */
  constructor(clock: Clock, runsAtOnce: () => number = () => 1) {
    this.#clock = clock;
    this.#runsAtOnce = runsAtOnce;
  }

  /** True if some nodes get no checkpoint any more. */
  get isSparing(): boolean {
    return this.#saved >= (this.#runsAtOnce() > crowd ? savedInCrowd : alwaysSaved);
  }

  isDue(journalSize: number): boolean {
    if (!this.isSparing) return true;
    const growth = journalSize - this.#journalSizeWhenSaved;
    if (growth >= Math.max(this.#checkpointSize, this.#journalSizeWhenSaved)) return true;
    return growth >= this.#checkpointSize * smallestGrowth && this.#clock.now() >= this.#nextAt;
  }

  /** @param startedAt start of the saving, in milliseconds since 1970 */
  saved(journalSize: number, checkpointSize: number, startedAt: number): void {
    const now = this.#clock.now();
    this.#saved += 1;
    this.#journalSizeWhenSaved = journalSize;
    this.#checkpointSize = checkpointSize;
    const others = this.#runsAtOnce();
    const share = others > crowd ? others : 1;
    this.#nextAt = now + Math.max(shortestPauseMs, (now - startedAt) * pausePerCost * share);
  }
}
