import { defineConfig } from 'vitest/config';
import { shared } from './vitest.shared.js';

// What is tried everywhere or at length: runs cut off at every byte, storage that fails, kills, long properties, hostile texts.
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ['test/proof/**/*.test.ts'],
  },
});
