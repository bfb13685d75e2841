import { defineConfig } from 'vitest/config';
import { shared } from './vitest.shared.js';

// What is tried everywhere or at length: runs cut off at every byte, storage that fails, kills, hostile texts; and every property
// of `npm test` more often (`runsOf`).
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    env: { ATTRACTOR_PROOF: 'thorough' },
    projects: [
      {
        extends: true,
        test: {
          name: 'proof',
          include: ['test/proof/**/*.test.ts', 'test/**/*.property.test.ts'],
        },
      },
      {
        // The behaviour of the engine again, with runs in the durable steps of a cluster.
        extends: true,
        test: {
          name: 'in-cluster',
          include: ['test/run/**/*.test.ts'],
          exclude: ['test/run/**/*.{isolated,property}.test.ts'],
          setupFiles: ['test/run/cluster/setup.ts'],
          env: { ATTRACTOR_RUN_IN_CLUSTER: 'yes' },
        },
      },
    ],
  },
});
