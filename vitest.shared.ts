import { readFileSync } from 'node:fs';
import type { ViteUserConfig } from 'vitest/config';
import { ruleExamples } from './scripts/rule-examples.mjs';
import { spawnerCode } from './scripts/spawner-code.mjs';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** What all configurations of vitest have in common. */
export const shared = {
  define: {
    __ATTRACTOR_VERSION__: JSON.stringify(version),
    // The tests have the grammars analysed; see test/parser/lookahead.
    __ATTRACTOR_DECISIONS__: 'undefined',
    __ATTRACTOR_SPAWNER__: JSON.stringify(await spawnerCode(import.meta.dirname)),
    __ATTRACTOR_EXAMPLES__: JSON.stringify(ruleExamples(import.meta.dirname)),
  },
  test: {
    // Modules are loaded once for all files of a process, which saves more than half of the time.
    isolate: false,
    setupFiles: ['test/support/without-keys.ts', 'test/support/no-traces.ts'],
    // These only end what hangs: a busy two-core machine must not fail a test.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // What earlier tests of the process still read takes turns by setImmediate: a turn that never came would stop all later ones.
    fakeTimers: {
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    },
    // The default leaves one core of two idle.
    maxWorkers: '100%',
  },
} satisfies ViteUserConfig;
