// Put in by the bundler (scripts/bundle.mjs) and by the test runner (vitest.config.ts), both from spawner-process.ts.
declare const __ATTRACTOR_SPAWNER__: string;

/** The program of a spawner as text for `node --eval`, which no bundler has to know of and no path can miss. */
export const spawnerCode: string = __ATTRACTOR_SPAWNER__;
