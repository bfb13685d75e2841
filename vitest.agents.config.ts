import { configDefaults, defineConfig } from 'vitest/config';
import standard from './vitest.config.js';

// Real coding agents: `npm run test:agents` installs them (e2e/agents). One at a time, because each takes a core and more.
export default defineConfig({
  ...standard,
  test: {
    ...standard.test,
    include: ['test/agents/**/*.test.ts'],
    exclude: configDefaults.exclude,
    testTimeout: 180_000,
    maxWorkers: 1,
  },
});
