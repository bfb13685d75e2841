import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { gitIn } from '../integration/workspaces/git/repository.js';
import { pipeline } from '../run/harness.js';
import { notesIn } from './expectations.js';
import { liveCluster, openRuns, tools } from './live-cluster.js';

const cluster = await liveCluster();

function line(graph: string, seconds = 0.1): string {
  return pipeline(`graph [${graph}]`, ...tools(seconds, 'a', 'b'), 'start -> a -> b -> exit');
}

async function listed(runId: string) {
  const run = (await cluster.client.list(100)).find((one) => one.runId === runId);
  if (run === undefined) throw new Error(`${runId} is not listed`);
  return run;
}

test('a run goes to a worker with its labels only, and the list says what it waits for', async () => {
  const plain = await cluster.worker(['--name', 'plain', '--runs', '3']);
  const [gpu, any] = await Promise.all([
    cluster.submit(line('requires="linux, gpu"')),
    cluster.submit(line('goal="x"')),
  ]);
  await cluster.until('the run without demands had ended', openRuns, ({ open }) => open === 1);
  expect(await listed(gpu)).toMatchObject({
    status: 'queued',
    awaits: 'a worker with --labels gpu,linux',
  });
  const fitting = await cluster.worker(['--name', 'fitting', '--labels', 'gpu,big,linux']);
  await cluster.until('the other one had ended, too', openRuns, ({ open }) => open === 0);
  expect((await listed(gpu)).worker).toMatch(/^fitting-/);
  expect((await listed(any)).worker).toMatch(/^plain-/);
  expect(await clusterInDoctor()).toEqual([
    { name: 'database', state: 'ok', found: 'answers, and has all tables' },
    { name: 'workers', state: 'ok', found: expect.stringMatching(/^2, with 0 of at most \d+ runs$/) },
  ]);
  for (const worker of [plain, fitting]) {
    worker.kill('SIGTERM');
    await worker.finished;
  }
  expect((await clusterInDoctor())[1]).toMatchObject({ name: 'workers', state: 'missing' });
});

async function clusterInDoctor(): Promise<readonly unknown[]> {
  const { stdout } = await cluster.start(['doctor', '--json']).finished;
  return JSON.parse(stdout).cluster;
}

test('each worker keeps to its own number of runs, over all queues', async () => {
  const ids = await Promise.all(
    ['requires="gpu"', 'requires="gpu"', 'goal="x"', 'goal="x"'].map((graph) =>
      cluster.submit(line(graph, 1)),
    ),
  );
  const one = await cluster.worker(['--name', 'one', '--labels', 'gpu', '--runs', '1']);
  const many = await cluster.worker(['--name', 'many', '--runs', '100']);
  let most = 0;
  await cluster.until(
    'all had ended',
    `select count(*) filter (where status = 'PENDING' and executor_id like 'one-%')::int as running,
      count(*) filter (where status in ('ENQUEUED', 'PENDING'))::int as open from dbos.workflow_status`,
    ({ running, open }) => {
      most = Math.max(most, Number(running));
      return open === 0;
    },
  );
  expect(most).toBe(1);
  const workers = await Promise.all(ids.map(async (id) => (await listed(id)).worker?.split('-')[0]));
  expect(workers.slice(0, 2)).toEqual(['one', 'one']);
  for (const worker of [one, many]) {
    worker.kill('SIGTERM');
    await worker.finished;
  }
});

test('a sticky run whose worker was killed waits for one on the same machine', async () => {
  const first = await cluster.worker(['--name', 'w1']);
  const sticky = await cluster.submit(line('placement=sticky', 2));
  await cluster.until(
    'its first stage ran',
    `select count(*)::int as steps from dbos.operation_outputs where workflow_uuid = '${sticky}'`,
    ({ steps }) => Number(steps) > 0,
  );
  const second = await cluster.worker(['--name', 'w2']);
  first.kill('SIGKILL');
  await cluster.until(
    'the run was back in the queue',
    `select status from dbos.workflow_status where workflow_uuid = '${sticky}'`,
    ({ status }) => status === 'ENQUEUED',
  );
  const free = await cluster.submit(line('goal="x"'));
  await cluster.until('another run had passed it', openRuns, ({ open }) => open === 1);
  expect((await listed(free)).worker).toMatch(/^w2-/);
  expect(await listed(sticky)).toMatchObject({
    status: 'queued',
    awaits: 'a worker with --name w1, where its files are',
  });
  const again = await cluster.worker(['--name', 'w1']);
  await cluster.until('it had ended', openRuns, ({ open }) => open === 0);
  expect(await listed(sticky)).toMatchObject({ status: 'success', worker: expect.stringMatching(/^w1-/) });
  const keys = notesIn(cluster.directory).filter(({ key }) => key.startsWith(sticky));
  expect(new Set(keys.map(({ key }) => key)).size).toBe(2);
  for (const worker of [second, again]) {
    worker.kill('SIGTERM');
    await worker.finished;
  }
});

test('with a git remote, a worker with another disk goes on, and has all commits', async () => {
  const [origin, remote] = [path.join(cluster.directory, 'origin'), path.join(cluster.directory, 'site.git')];
  const git = (...args: readonly string[]): string => gitIn(origin, ...args);
  mkdirSync(origin);
  git('init', '--quiet', '--initial-branch=main');
  writeFileSync(path.join(origin, 'readme'), 'Hi');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'begin');
  git('init', '--quiet', '--bare', remote);
  git('remote', 'add', 'origin', remote);
  const stage = (name: string) =>
    `${name} [shape=parallelogram, tool_command="cat readme; pwd > ${name}; sleep 1", timeout="60s"]`;
  const dot = pipeline(
    'graph [git=true, git_remote=origin]',
    ...['a', 'b', 'c', 'd'].map(stage),
    'start -> a -> b -> c -> d -> exit',
  );
  const run = await cluster.submit(dot, { workingDirectory: origin });
  // Nothing is left of the machine that submitted the run.
  rmSync(origin, { recursive: true });

  const first = await cluster.worker(['--name', 'w1', '--home', 'disk1/runs']);
  await cluster.until('it had committed twice', commitsOf(run), ({ commits }) => Number(commits) >= 2);
  first.kill('SIGKILL');
  await first.finished;
  // The stage that ran there still does.
  rmSync(path.join(cluster.directory, 'disk1'), { recursive: true, maxRetries: 40, retryDelay: 50 });
  const second = await cluster.worker(['--name', 'w2', '--home', 'disk2/runs']);
  await cluster.until('it had ended', openRuns, ({ open }) => open === 0);
  expect(await listed(run)).toMatchObject({ status: 'success', worker: expect.stringMatching(/^w2-/) });

  const branch = `attractor/${run}`;
  const at = (...args: readonly string[]): string => gitIn(remote, ...args);
  expect(at('log', '--format=%s', branch).split('\n')).toEqual([
    ...['d', 'c', 'b', 'a'].map((name) => expect.stringContaining(`attractor(${name})`)),
    'begin',
  ]);
  const places = ['a', 'd'].map((name) => at('show', `${branch}:${name}`));
  expect(places[0]).toContain('/disk1/');
  expect(places[1]).toContain('/disk2/');
  second.kill('SIGTERM');
  await second.finished;
});

/** Counts the commits that stages of a run have recorded. */
function commitsOf(run: string): string {
  return `select count(*)::int as commits from dbos.operation_outputs
    where workflow_uuid = '${run}' and output like '%"StageCompleted"%"commit"%'`;
}

test('of runs that wait, those with a larger priority are taken first', async () => {
  writeFileSync(path.join(cluster.directory, 'line.dot'), line('goal="x"'));
  const ids = new Map<string, string>();
  for (const priority of ['0', '2', '10']) {
    const { stdout, stderr } = await cluster.start(['run', 'line.dot', '--detach', '--priority', priority])
      .finished;
    expect(stderr).toContain('the run waits for a worker');
    ids.set(stdout.trim(), priority);
  }
  const worker = await cluster.worker(['--runs', '1']);
  await cluster.until('all had ended', openRuns, ({ open }) => open === 0);
  const rows = await cluster.query(
    'select workflow_uuid as id from dbos.workflow_status where workflow_uuid = any($1) order by started_at_epoch_ms',
    [[...ids.keys()]],
  );
  expect(rows.map(({ id }) => ids.get(String(id)))).toEqual(['10', '2', '0']);
  worker.kill('SIGTERM');
  await worker.finished;
});

test('prune removes runs that have ended, and leaves one that waits', async () => {
  const ended = await cluster.query('select workflow_uuid from dbos.workflow_status');
  const waiting = await cluster.submit(line('goal="x"'));
  const prune = async (...options: readonly string[]) =>
    (await cluster.start(['cluster', 'prune', '--json', ...options]).finished).stdout;
  expect(JSON.parse(await prune('--older-than', '1h'))).toEqual({ runs: 0, dry_run: false });
  expect(JSON.parse(await prune('--older-than', '0s', '--dry-run'))).toEqual({
    runs: ended.length,
    dry_run: true,
  });
  expect(JSON.parse(await prune('--older-than', '0s'))).toEqual({ runs: ended.length, dry_run: false });
  expect((await cluster.client.list(100)).map(({ runId }) => runId)).toEqual([waiting]);
  expect(await cluster.query('select 1 from dbos.operation_outputs')).toEqual([]);
});

test('limits of a queue in the database hold for all workers and each tenant', async () => {
  const most = async (column: string, value: number): Promise<number> => {
    await cluster.query(`update dbos.queues set ${column} = $1 where name = 'runs'`, [value]);
    for (let count = 0; count < 4; count += 1) await cluster.submit(line('goal="x"', 0.5));
    const workers = await Promise.all([cluster.worker(['--name', 'w1']), cluster.worker(['--name', 'w2'])]);
    let together = 0;
    await cluster.until(
      'all had ended',
      `select count(*) filter (where status = 'PENDING')::int as running,
        count(*) filter (where status in ('ENQUEUED', 'PENDING'))::int as open from dbos.workflow_status`,
      ({ running, open }) => {
        together = Math.max(together, Number(running));
        return open === 0;
      },
    );
    for (const worker of workers) {
      worker.kill('SIGTERM');
      await worker.finished;
    }
    await cluster.query(`update dbos.queues set ${column} = null where name = 'runs'`);
    return together;
  };
  for (const [column, limit] of [
    ['concurrency', 2],
    ['partition_concurrency', 1],
    ['partition_concurrency', 3],
  ] as const)
    expect(await most(column, limit)).toBeLessThanOrEqual(limit);
});
