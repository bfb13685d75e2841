// Put in by the bundler (scripts/bundle.mjs) and by the test runner (vitest.config.ts), both from spawner-process.ts.
declare const __ATTRACTOR_SPAWNER__: string;

/** Program of a spawner as text for `node --eval`, so that it needs no file. */
export const spawnerCode: string = __ATTRACTOR_SPAWNER__;
