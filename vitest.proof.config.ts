import { configDefaults, defineConfig } from 'vitest/config';
import standard from './vitest.config.js';

// What is tried everywhere or at length: runs cut off at every byte, storage that fails, kills, long properties, hostile texts.
export default defineConfig({
  ...standard,
  test: {
    ...standard.test,
    include: ['test/proof/**/*.test.ts'],
    exclude: configDefaults.exclude,
  },
});
