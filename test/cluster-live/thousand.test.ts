import { expect, test } from 'vitest';
import { pipeline } from '../run/harness.js';
import { settledOnce } from './expectations.js';
import { liveCluster, openRuns, workerId } from './live-cluster.js';

const runs = 1000;
const stages = Array.from({ length: 20 }, (_, index) => `s${index + 1}`);

const cluster = await liveCluster();

test(`${runs} runs of 20 stages at once end on two workers, one of which is killed`, async () => {
  const dot = pipeline(...stages, ['start', ...stages, 'exit'].join(' -> '));
  const ids = await Promise.all(Array.from({ length: runs }, () => cluster.submit(dot, { simulate: true })));
  // They find all runs there, and neither can take more than half of them.
  const [first, second] = await Promise.all([
    cluster.worker(['--runs', String(runs / 2)]),
    cluster.worker(['--runs', String(runs / 2)]),
  ]);
  const dead = workerId(first);
  const ofDead = `select count(*)::int as runs from dbos.workflow_status
    where executor_id = '${dead}' and status = 'PENDING'`;
  const ofOutputs = `select count(*)::int as steps from dbos.operation_outputs`;
  await cluster.until('it was in the middle', ofOutputs, ({ steps }) => Number(steps) > runs * 4);
  await cluster.until('it had many of them', ofDead, (row) => Number(row.runs) > 10);
  first.kill('SIGKILL');
  // How soon is asked in takeover.test.ts: here the machine has no time left, so that it would be asked how fast that is.
  await cluster.until('the other worker had its runs', ofDead, (row) => row.runs === 0);
  await cluster.until('all runs had ended', openRuns, ({ open }) => open === 0);
  expect(second.output()).toMatch(new RegExp(`worker ${dead} is gone; its \\d+ runs`));

  const expected = ['start', ...stages, 'exit'].map((id) => `/${id}#1.1`).sort();
  for (let from = 0; from < runs; from += 50)
    for (const history of await cluster.histories(ids.slice(from, from + 50))) {
      expect(history.view.status).toBe('success');
      expect(settledOnce(history).attempts).toEqual(expected);
    }
});
