/**
 * Does several things in turns, and keeps the fastest time of each: a busy moment of the machine meets them all.
 * @param works by name: how many steps it takes, and what does them
 * @returns by name: the steps, and the microseconds by the clock and of the processor
 */
export async function alternate(turns, works) {
  const best = {};
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [name, { steps, work }] of Object.entries(works)) {
      const taken = await timed(work);
      if (best[name] === undefined || taken.wall < best[name].wall) best[name] = { steps, ...taken };
    }
  }
  return best;
}

/** What the collector has to do was caused by the work before: it comes before the clock starts. */
async function timed(work) {
  globalThis.gc?.();
  const cpuBefore = process.cpuUsage();
  const before = process.hrtime.bigint();
  await work();
  const wall = Number(process.hrtime.bigint() - before) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wall, cpu: user + system };
}
