import path from 'node:path';
import { beforeEach, expect, type RunnerTask, vi } from 'vitest';
import { differences } from './differences.js';

// Tests continue runs in their directories here, where no worker has them.
vi.mock(import('../../../src/run-directory/copied-run.js'), async (original) => ({
  ...(await original()),
  refuseCopy: () => undefined,
}));

const runTests = path.resolve(import.meta.dirname, '..');

/** Names of the tests of a file that fail in a cluster. */
function failingIn(file: string): readonly string[] {
  const name = path.relative(runTests, file).split(path.sep).join('/');
  return differences.flatMap(({ tests }) => tests[name] ?? []);
}

function nameOf({ name, suite }: Pick<RunnerTask, 'name' | 'suite'>): string {
  return suite === undefined ? name : `${nameOf(suite)} > ${name}`;
}

function namesIn(tasks: readonly RunnerTask[]): readonly string[] {
  return tasks.flatMap((task) => ('tasks' in task ? namesIn(task.tasks) : [nameOf(task)]));
}

beforeEach(({ task }) => {
  const { filepath, tasks } = task.file;
  const failing = failingIn(filepath);
  if (failing.length === 0) return;
  expect(namesIn(tasks)).toEqual(expect.arrayContaining([...failing]));
  if (failing.includes(nameOf(task))) Object.assign(task, { fails: true });
});
