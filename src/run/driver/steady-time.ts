/**
 * Time of day that continues at least as fast as a stopwatch: if the clock of the machine is set back, it
 * does not follow, so that no wait takes longer than intended. If the clock is set forward, it follows.
 * @param timeOfDay milliseconds since 1970
 * @param stopwatch milliseconds from any start
 * @returns whole milliseconds since 1970
 */
export function steadyTime(timeOfDay: () => number, stopwatch: () => number): () => number {
  let time = timeOfDay();
  let watched = stopwatch();
  return () => {
    // Read first: a process that has to wait between the two would count that time twice.
    const day = timeOfDay();
    const watch = stopwatch();
    time = Math.max(day, time + watch - watched);
    watched = watch;
    return Math.floor(time);
  };
}
