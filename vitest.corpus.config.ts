import { defineConfig } from 'vitest/config';
import { shared } from './vitest.shared.js';

// Real pipelines of other projects, kept outside this repository: see test/corpus/corpus.ts.
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ['test/corpus/**/*.test.ts'],
  },
});
