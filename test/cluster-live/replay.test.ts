import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { pipeline } from '../run/harness.js';
import { liveCluster } from './live-cluster.js';

const cluster = await liveCluster();
const { start, directory } = cluster;
const elsewhere = path.join(directory, 'elsewhere');

test('a recorded run is played back on another machine; a cancelled one ends there as it did, in its history too', async () => {
  mkdirSync(elsewhere);
  writeFileSync(
    path.join(directory, 'c.dot'),
    pipeline('x [shape=parallelogram, tool_command="echo hi"]', 'start -> x -> exit'),
  );
  writeFileSync(
    path.join(directory, 'r.dot'),
    pipeline(
      'a [shape=parallelogram, tool_command="seq 1 9000"]; c [type=pipeline, child="c.dot"]; g [shape=hexagon]',
      'start -> a -> c -> g; g -> exit [label="[Y] Yes"]',
    ),
  );
  await cluster.worker();
  const done = await start(['run', 'r.dot', '--record', '--answer', 'g=Y', '--json']).finished;
  expect(done.status, done.stderr).toBe(0);
  const { run_id: whole } = JSON.parse(done.stdout);
  const replay = async (run: string) =>
    JSON.parse((await start(['replay', run, '--json'], 'postgres', elsewhere).finished).stdout);
  expect(await replay(whole)).toEqual({ identical: true, status: 'success' });

  const run = (await start(['run', 'r.dot', '--record', '--detach']).finished).stdout.trim();
  await cluster.until(
    'it asked',
    `select count(*)::int as asked from dbos.operation_outputs where workflow_uuid = '${run}' and output like '%InterviewStarted%'`,
    ({ asked }) => asked === 1,
  );
  expect((await start(['cancel', run]).finished).status).toBe(0);
  expect(await replay(run)).toEqual({ identical: true, status: 'cancelled' });

  await start(['pull', run, '--output', 'pulled']).finished;
  const again = await start(['run', 'r.dot', '--replay', './pulled', '--detach']).finished;
  const id = again.stdout.trim();
  await cluster.until(
    'the replay had ended',
    `select status from dbos.workflow_status where workflow_uuid = '${id}'`,
    ({ status }) => status === 'SUCCESS',
  );
  const [history] = await cluster.histories([id]);
  expect(history?.view.status).toBe('cancelled');
});
