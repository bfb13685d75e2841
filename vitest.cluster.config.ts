import { defineConfig } from 'vitest/config';
import { shared } from './vitest.shared.js';

// These measure how soon a worker takes over, or keep the machine busy by themselves.
const alone = ['kills', 'takeover', 'thousand'].map((name) => `test/cluster-live/${name}.test.ts`);

// Runs in a cluster as users have it: a PostgreSQL server, and workers that are processes of the built command line, both of which
// are killed. Most files wait most of their time, so that two run at once; each has its own server.
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    testTimeout: 600_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'paired',
          include: ['test/cluster-live/**/*.test.ts'],
          exclude: alone,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      { extends: true, test: { name: 'alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 2 } } },
    ],
  },
});
