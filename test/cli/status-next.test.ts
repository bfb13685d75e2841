import { expect, test } from 'vitest';
import { renderStatus } from '../../src/cli/output/render-status.js';
import { overviewOf, type RunOverview } from '../../src/view/run-overview.js';
import { pipeline, runOnDisk } from '../run/harness.js';
import { virtualStart } from '../support/virtual-clock.js';

const dot = pipeline('', 'a', 'start -> a -> exit');

test.each<readonly [RunOverview['status'], string]>([
  ['queued', 'logs -f'],
  ['paused', 'resume'],
  ['fail', 'resume'],
  ['success', 'logs'],
])('the next command for a run with the status %s is %s', async (status, command) => {
  const { directory } = await runOnDisk(dot);
  const overview = { ...overviewOf(directory, virtualStart), status, process: null };
  const text = renderStatus(overview, {
    run: 'r',
    questions: [],
    now: virtualStart,
    color: false,
    nameOf: () => 'r',
  });
  expect(text.split('\nnext\n')[1]).toMatch(new RegExp(`^  attractor ${command} r`));
});
