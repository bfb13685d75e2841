import { defineConfig } from 'vitest/config';
import { shared } from './vitest.shared.js';

// Runs in a cluster as users have it: a PostgreSQL server, and workers that are processes of the built command line, both of which
// are killed. A file at a time, because each keeps the machine busy, and some expect a worker to take over in time. Modules are loaded
// once for all files.
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ['test/cluster-live/**/*.test.ts'],
    testTimeout: 600_000,
    maxWorkers: 1,
    isolate: false,
  },
});
