import type { Stage } from './handler.js';

/** Waits for work on the disk, which counts as no time in a replay or simulation. */
export function holdTime<Result>(stage: Stage, work: Promise<Result>): Promise<Result> {
  return stage.holdTime === undefined ? work : stage.holdTime(work);
}
