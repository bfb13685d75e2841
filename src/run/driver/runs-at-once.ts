let atOnce = 0;

/** Number of runs that this process drives now, child runs included. */
export function runsAtOnce(): number {
  return atOnce;
}

/**
 * Counts a run that is driven.
 * @returns a function to be called once when it is no longer
 */
export function countRun(): () => void {
  atOnce += 1;
  return () => {
    atOnce -= 1;
  };
}
