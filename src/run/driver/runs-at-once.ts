let atOnce = 0;

/** How many runs this process drives now, child runs included. */
export function runsAtOnce(): number {
  return atOnce;
}

/** To be called when a run is driven. @returns to be called once when it is no longer */
export function countRun(): () => void {
  atOnce += 1;
  return () => {
    atOnce -= 1;
  };
}
