import { configDefaults, defineConfig } from 'vitest/config';
import standard from './vitest.config.js';

// What needs more than this process: the built command line, git, agents' protocols, a browser.
export default defineConfig({
  ...standard,
  test: {
    ...standard.test,
    include: ['test/integration/**/*.test.ts'],
    exclude: configDefaults.exclude,
  },
});
