import { configDefaults, defineConfig } from 'vitest/config';
import standard from './vitest.config.js';

// Real pipelines of other projects, kept outside this repository: see test/corpus/corpus.ts.
export default defineConfig({
  ...standard,
  test: {
    ...standard.test,
    include: ['test/corpus/**/*.test.ts'],
    exclude: configDefaults.exclude,
    testTimeout: 120_000,
  },
});
