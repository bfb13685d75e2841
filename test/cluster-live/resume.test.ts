import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { pipeline } from '../run/harness.js';
import { settledOnce } from './expectations.js';
import { liveCluster, openRuns, recordedSteps } from './live-cluster.js';

const cluster = await liveCluster();
const own = path.join(cluster.directory, 'team_a');

/** `b` fails unless its input says otherwise. */
const line = pipeline(
  'a [shape=parallelogram, tool_command="echo a"]',
  'b [shape=parallelogram, tool_command="test \\"${inputs.ok}\\" = yes"]',
  'c [shape=parallelogram, tool_command="sleep 2; test \\"${inputs.ok}\\" = yes"]',
  'start -> a -> b -> c -> exit',
);

beforeAll(async () => {
  mkdirSync(own);
  writeFileSync(path.join(own, 'line.dot'), line);
  for (const name of ['team_a', 'team_b'])
    await cluster.query(`create role ${name} login in role attractor_client`);
});

async function failedRun(): Promise<string> {
  const { stdout } = await cluster.start(['run', 'line.dot', '--detach', '--set', 'ok=no'], 'team_a', own)
    .finished;
  await cluster.until('the run had failed', openRuns, ({ open }) => open === 0);
  return stdout.trim();
}

test('a tenant resumes a run that has failed, with another input, and it outlives its worker', async () => {
  const first = await cluster.worker(['--allow-tools']);
  const id = await failedRun();
  const before = await recordedSteps(cluster, [id]);
  const resumed = cluster.start(['resume', id, '--set', 'ok=yes'], 'team_a', own);
  const further = `select count(*)::int as steps from dbos.operation_outputs
    where workflow_uuid = '${id}' and output like '%"StageStarted","node_id":"c"%'`;
  await cluster.until('it had got further', further, ({ steps }) => steps === 1);
  first.kill('SIGKILL');
  rmSync(path.join(cluster.directory, 'runs', id), { recursive: true, force: true });
  const second = await cluster.worker(['--allow-tools']);
  const { status, stderr } = await resumed.finished;
  expect(status, stderr).toBe(0);
  const after = await recordedSteps(cluster, [id]);
  for (const [step, output] of before) expect(after.get(step)).toBe(output);
  const [history] = await cluster.histories([id]);
  if (history === undefined) throw new Error('the run is not there');
  const { attempts } = settledOnce(history);
  expect(attempts.filter((attempt) => attempt.startsWith('/b#'))).toEqual(['/b#1.1', '/b#2.1']);
  expect(second.output()).toContain(`${id} continues here`);
});

test('nobody else puts a run back into the queue', async () => {
  const id = await failedRun();
  const stranger = new pg.Client({ connectionString: cluster.urlFor('team_b') });
  await stranger.connect();
  onTestFinished(() => stranger.end());
  const { rows } = await stranger.query('select attractor.requeue($1)', [id]);
  expect(rows).toEqual([{ requeue: false }]);
  const call = ['resume', id, '--set', 'ok=yes', '--detach'];
  expect((await cluster.start(call, 'team_b', own).finished).stderr).toContain('there is no run');
  const { status, stderr } = await cluster.start(call, 'team_a', own).finished;
  expect(status, stderr).toBe(0);
  await cluster.until('the run had ended', openRuns, ({ open }) => open === 0);
  expect((await cluster.histories([id]))[0]?.view.status).toBe('success');
});
