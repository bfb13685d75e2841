/** Workers that perform stages of a run of a cluster for the worker of the run, by `attemptKey`. */
export type StageWorkers = ReadonlyMap<string, string>;

export const noStageWorkers: StageWorkers = new Map();

/** Name of an attempt in its run. @param index of the visit */
export function attemptKey(index: number, attempt: number): string {
  return `${index}.${attempt}`;
}
