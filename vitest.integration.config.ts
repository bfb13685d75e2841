import { defineConfig } from 'vitest/config';
import { shared } from './vitest.shared.js';

// What needs more than this process: the built command line, git, agents' protocols, a browser.
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ['test/integration/**/*.test.ts'],
  },
});
