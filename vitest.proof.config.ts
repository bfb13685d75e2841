import { defineConfig } from 'vitest/config';
import { shared } from './vitest.shared.js';

// What is tried everywhere or at length: runs cut off at every byte, storage that fails, kills, hostile texts; and every property
// of `npm test` more often (`runsOf`).
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ['test/proof/**/*.test.ts', 'test/**/*.property.test.ts'],
    env: { ATTRACTOR_PROOF: 'thorough' },
  },
});
