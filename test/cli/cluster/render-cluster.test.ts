import { expect, test } from 'vitest';
import { renderRuns, renderWorkers } from '../../../src/cli/cluster/render-cluster.js';
import type { ListedRun } from '../../../src/cluster/cluster.js';

const listed = (facts: Partial<ListedRun>): ListedRun => ({
  runId: 'r1',
  status: 'running',
  worker: 'w1-7-0a1b2c3d',
  manifest: '',
  shared: undefined,
  end: undefined,
  submittedAt: 1000,
  awaits: undefined,
  problem: undefined,
  ...facts,
});

test.each([
  ['the worker that has it', {}, 'w1-7-0a1b2c3d'],
  ['what it waits for', { status: 'queued', awaits: 'a worker with room' }, 'waits for a worker with room'],
  ['nothing, if a worker will take it at once', { status: 'queued' }, ''],
  [
    'why it does not continue',
    { status: 'error', problem: 'the submission is damaged' },
    'the submission is damaged',
  ],
] as const)('the list says of a run %s', (_what, facts, said) => {
  const [, row = ''] = renderRuns([listed(facts)], 3000)
    .trimEnd()
    .split('\n');
  expect(
    row
      .split(/\s{2,}/)
      .slice(3)
      .join(' '),
  ).toBe(said);
});

test('the list of workers says how many runs and stages each has, of how many', () => {
  const worker = {
    ...{ id: 'w1-7-0a1b2c3d', host: 'w1', pid: 7, labels: ['gpu'], version: 'attractor-3', leaving: false },
    ...{ runs: 1, max_runs: 200, stages: 3, max_stages: 20, started: new Date(1000), beat: new Date(2000) },
  };
  const [, row] = renderWorkers([worker], 3000).split('\n');
  expect(row?.split(/\s{2,}/).slice(1, 3)).toEqual(['1 of 200', '3 of 20']);
});
