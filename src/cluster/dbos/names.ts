/**
 * Names under which runs stand in the database. A change of `host-run.ts` that repeats recorded steps differently needs a new
 * version: workers take runs of their own version only.
 */
export const names = {
  application: 'attractor',
  version: 'attractor-1',
  workflow: 'run',
  queue: 'runs',
  step: 'inputs',
  topic: 'attractor',
} as const;
