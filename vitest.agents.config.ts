import { tmpdir } from 'node:os';
import { defineConfig } from 'vitest/config';
import { shared } from './vitest.shared.js';

// Real coding agents: `npm run test:agents` installs them (e2e/agents). One at a time, because each takes a core and more.
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ['test/agents/**/*.test.ts'],
    testTimeout: 300_000,
    maxWorkers: 1,
    // Not in memory: the sandbox of Codex shows its commands no /dev/shm.
    env: { TMPDIR: tmpdir() },
  },
});
