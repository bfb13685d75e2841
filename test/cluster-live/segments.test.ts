import path from 'node:path';
import { expect, test } from 'vitest';
import { names } from '../../src/cluster/dbos/names.js';
import { pullRun } from '../../src/cluster/pull-run.js';
import { readJournal } from '../../src/journal/journal.js';
import { pipeline } from '../run/harness.js';
import { settledOnce } from './expectations.js';
import { liveCluster } from './live-cluster.js';

const cluster = await liveCluster();
const stages = 3000;

test('a long run goes on from its last segment, as one run', async () => {
  const loop = pipeline(
    'work [prompt="Work"]',
    'start -> work',
    'work -> work [condition="outcome=success"]',
    'work -> exit [condition="outcome=fail"]',
  );
  const id = await cluster.submit(loop, { simulate: true, maxSteps: stages });
  const first = await cluster.worker();
  const segments = `select count(*)::int as count, max(function_id) as last from dbos.operation_outputs
    where function_name = '${names.segment}' and output <> 'null'`;
  await cluster.until('the second segment had begun', segments, ({ count }) => Number(count) > 0);
  first.kill('SIGKILL');
  await first.finished;
  const second = await cluster.worker();
  await cluster.until(
    'the run had ended',
    `select status from dbos.workflow_status where workflow_uuid = '${id}'`,
    ({ status }) => status === 'SUCCESS',
  );
  expect(second.output()).toContain(`${id} continues here`);
  const run = await cluster.client.find(id);
  if (run === undefined) throw new Error('the run is not there');
  const { view } = run.history;
  expect(view.failure?.reason).toContain(`has executed ${stages} stages`);
  expect(settledOnce(run.history).attempts.length).toBe(stages + 1);
  // The journal that the second worker has kept is the one that anybody reads from the steps.
  const pulled = path.join(cluster.directory, 'pulled');
  await pullRun(run, pulled);
  const journals = [pulled, path.join(cluster.directory, 'runs', id)].map((directory) =>
    readJournal(path.join(directory, 'events.jsonl')),
  );
  expect(journals[1]).toEqual(journals[0]);
});
