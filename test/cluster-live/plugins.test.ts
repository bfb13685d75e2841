import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { pipeline } from '../run/harness.js';
import { liveCluster, openRuns } from './live-cluster.js';

const cluster = await liveCluster();

test('a run with a handler of a plugin is submitted, and executed by a worker', async () => {
  writeFileSync(
    path.join(cluster.directory, 'plugin.mjs'),
    `export default { name: 'mine', handlers: [{ type: 'mine.echo', handler: {
      execute: async ({ node }) => ({ status: 'success', context_updates: { by: node.id } }),
    } }] };`,
  );
  writeFileSync(
    path.join(cluster.directory, 'mine.dot'),
    pipeline('a [type="mine.echo"]', 'start -> a -> exit'),
  );
  await cluster.worker();
  const call = ['run', 'mine.dot', '--plugin', './plugin.mjs', '--detach'];
  const { status, stdout, stderr } = await cluster.start(call).finished;
  expect(status, stderr).toBe(0);
  await cluster.until('the run had ended', openRuns, ({ open }) => open === 0);
  const [history] = await cluster.histories([stdout.trim()]);
  expect(history?.view.status).toBe('success');
});
