/** How often it looks, within the time. */
const looks = 4;

const late = Symbol('late');

/**
 * Waits for work, but no longer than that. Timers come before what other processes have done: one that was held up itself, by its
 * own work or by others, finds its time over before it has seen what was there long since. So it looks several times.
 * @returns undefined when the time is over
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
