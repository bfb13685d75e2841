import { configDefaults, defineConfig } from 'vitest/config';
import { shared } from './vitest.shared.js';

// Each of these folders has a command of its own (CONTRIBUTING.md).
const exclude = [...configDefaults.exclude, 'test/{integration,proof,corpus,agents,cluster-live}/**'];
// These replace modules, or move the clock of a module that runs of other tests share, so that they need a registry of their own.
const isolated = ['test/**/*.isolated.test.ts'];

// `npm test`: everything that happens within a process.
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    // Workers that keep all modules have much to look through whenever young objects are collected, so that it should be seldom.
    execArgv: ['--max-semi-space-size=64'],
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, ...isolated],
        },
      },
      { extends: true, test: { name: 'isolated', include: isolated, exclude, isolate: true } },
    ],
  },
});
