// Put in by the bundler (scripts/bundle.mjs) and by the test runner (vitest.config.ts), both from package.json.
declare const __ATTRACTOR_VERSION__: string;

/** The version of the package, as written into manifests and printed by `attractor --version`. */
export const version: string = __ATTRACTOR_VERSION__;
