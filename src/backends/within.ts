/** Number of checks within the time limit. */
const looks = 4;

const late = Symbol('late');

/**
 * Waits for work, up to a time limit. Timers fire before the events of other processes are handled: a
 * process that was itself delayed, by its own work or by others, finds the time over before it has seen an
 * event that came long since. So it checks several times.
 * @returns undefined if the time is over
 */
export async function within<Result>(
  work: Promise<Result>,
  milliseconds: number,
): Promise<Result | undefined> {
  for (let look = 0; look < looks; look += 1) {
    let timer: NodeJS.Timeout | undefined;
    const time = new Promise<typeof late>((resolve) => {
      timer = setTimeout(() => resolve(late), milliseconds / looks);
    });
    const first = await Promise.race([work, time]).finally(() => clearTimeout(timer));
    if (first !== late) return first;
  }
  return undefined;
}
