import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import type { RunOverview } from '../../src/view/run-overview.js';
import type { Running } from '../integration/process/attractor.js';
import { pipeline } from '../run/harness.js';
import { liveCluster } from './live-cluster.js';

const cluster = await liveCluster();
const { query, start, directory } = cluster;
const own = path.join(directory, 'team_a');
const notes = path.join(own, 'notes');

/** Each item is a pipeline of its own, whose command notes the worker once it may. */
const each = pipeline(
  'each [shape=component, foreach="${inputs.items}", max_parallel=4]',
  'sub [type=pipeline, child="child.dot"]',
  'join [shape=tripleoctagon]',
  'start -> each -> sub -> join -> exit',
).replace('digraph G {', 'digraph G {\ngraph [inputs="items:list"]');
const child = pipeline(
  'work [shape=parallelogram, tool_command="until [ -e go ]; do sleep 0.1; done; echo $WORKER_NAME >> notes"]',
  'start -> work -> exit',
);

async function startWorker(name: string, ...args: readonly string[]): Promise<Running> {
  const worker = start(['worker', '--home', `runs-${name}`, ...args], 'machine', directory, {
    WORKER_NAME: name,
  });
  await worker.until('it was ready', () => worker.output().includes('is ready for'));
  return worker;
}

function noted(): readonly string[] {
  return existsSync(notes) ? readFileSync(notes, 'utf8').trimEnd().split('\n') : [];
}

test('a worker without --allow-tools executes no command of a child of the run of a tenant', async () => {
  await query(`create role team_a login in role attractor_client`);
  await query(`create role machine login in role attractor_worker`);
  mkdirSync(own);
  writeFileSync(path.join(own, 'each.dot'), each);
  writeFileSync(path.join(own, 'child.dot'), child);
  await startWorker('may', '--allow-tools', '--stages', '1');
  const call = ['run', 'each.dot', '--spread', '--detach', '--set', 'items=[1, 2, 3]'];
  const submitted = await start(call, 'team_a', own).finished;
  expect(submitted.status, submitted.stderr).toBe(0);
  const [row] = await query(`select workflow_uuid as id from dbos.workflow_status where name = 'run'`);
  const runId = String(row?.id);
  const stages = (status: string): string =>
    `select count(*)::int as stages from dbos.workflow_status where name = 'stage' and status = '${status}'`;
  await cluster.until('a command ran', stages('PENDING'), ({ stages: count }) => count === 1);
  // The tenant learns which worker has the stage, and another one does not.
  const looked = await start(['status', runId, '--json'], 'team_a', own).finished;
  const { process: executing, child_runs: children } = JSON.parse(looked.stdout);
  const workers = children.flatMap((one: RunOverview['child_runs'][number]) =>
    one.stages.flatMap(({ worker }) => worker ?? []),
  );
  expect(workers).toEqual([executing.worker]);
  expect((await start(['status', runId], 'team_a', own).finished).stdout).toContain(
    ` on ${executing.worker}`,
  );
  await query(`create role team_b login in role attractor_client`);
  const stranger = new pg.Client({ connectionString: cluster.urlFor('team_b') });
  await stranger.connect();
  const seen = await stranger
    .query('select from attractor.stage_workers($1)', [runId])
    .finally(() => stranger.end());
  expect(seen.rowCount).toBe(0);
  const mayNot = await startWorker('may-not');
  await cluster.until(
    'the other worker refused',
    stages('SUCCESS'),
    ({ stages: count }) => Number(count) >= 1,
  );
  expect(noted()).toEqual([]);
  writeFileSync(path.join(own, 'go'), '');
  await start(['wait', runId], 'team_a', own).finished;
  const [history] = await cluster.histories([runId]);
  expect(history?.view.status).toBe('paused');
  expect(history?.view.pausedReason).toContain(
    'the pipeline may not run here: "work" is a tool stage, which runs a command, and this worker does not let pipelines run commands; start it with --allow-tools',
  );
  expect(new Set(noted())).toEqual(new Set(['may']));
  expect(noted().length).toBeLessThan(3);
  mayNot.kill('SIGKILL');
  await mayNot.finished;
  const resumed = await start(['resume', runId], 'team_a', own).finished;
  expect(resumed.status, resumed.stderr).toBe(0);
  expect(noted()).toEqual(['may', 'may', 'may']);
});
