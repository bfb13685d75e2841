import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Running } from '../integration/process/attractor.js';
import { pipeline } from '../run/harness.js';
import { liveCluster, openRuns } from './live-cluster.js';

const cluster = await liveCluster();
const notes = path.join(cluster.directory, 'turns');

/** An agent that notes, outside of the database, when it begins and when it ends. */
writeFileSync(
  path.join(cluster.directory, 'agent.sh'),
  'cat > /dev/null; echo "begin $$ $(date +%s%3N)" >> turns; sleep $1; echo "end $$ $(date +%s%3N)" >> turns; echo done',
);
writeFileSync(
  path.join(cluster.directory, 'attractor.config.yaml'),
  ['quick', 'slow']
    .map((name, index) => `  ${name}: { command: [sh, agent.sh, "${index === 0 ? 0.3 : 4}"], output: text }`)
    .join('\n')
    .replace(/^/, 'agents:\n'),
);

const atWork: Running[] = [];

beforeEach(async () => {
  rmSync(notes, { force: true });
  await cluster.query('delete from attractor.limits');
});

afterEach(async () => {
  for (const worker of atWork.splice(0)) {
    worker.kill('SIGTERM');
    await worker.finished;
  }
});

async function start(args: readonly string[] = []): Promise<Running> {
  const worker = await cluster.worker(args);
  atWork.push(worker);
  return worker;
}

async function limit(values: string): Promise<void> {
  await cluster.query(`insert into attractor.limits values ${values}`);
}

/** Submits runs of one stage. */
async function submit(count: number, provider: string): Promise<readonly string[]> {
  writeFileSync(
    path.join(cluster.directory, 'agent.dot'),
    pipeline(`a [llm_provider=${provider}, timeout="60s"]`, 'start -> a -> exit'),
  );
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { status, stdout, stderr } = await cluster.start(['run', 'agent.dot', '--detach']).finished;
    expect(status, stderr).toBe(0);
    ids.push(stdout.trim());
  }
  return ids;
}

async function expectSuccess(ids: readonly string[]): Promise<void> {
  await cluster.until('all had ended', openRuns, ({ open }) => open === 0);
  const histories = await cluster.histories(ids);
  expect(histories.map(({ view }) => view.status)).toEqual(ids.map(() => 'success'));
}

interface Note {
  readonly what: string;
  readonly pid: string;
  readonly time: number;
}

function turns(): readonly Note[] {
  return readFileSync(notes, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([what = '', pid = '', time]) => ({ what, pid, time: Number(time) }));
}

/** The most agents that were at work at the same time. @param isGone for those that were killed by a note `kill` */
function mostTogether(given: readonly Note[]): number {
  const atWork = new Set<string>();
  const ending = new Set(given.filter(({ what }) => what === 'end').map(({ pid }) => pid));
  let most = 0;
  for (const { what, pid } of given) {
    if (what === 'begin') atWork.add(pid);
    else if (what === 'end') atWork.delete(pid);
    else for (const one of atWork) if (!ending.has(one)) atWork.delete(one);
    most = Math.max(most, atWork.size);
  }
  return most;
}

test('two workers have at most as many stages of a provider at work as the limit says', async () => {
  await limit(`('quick', 2)`);
  const ids = await submit(12, 'quick');
  const half = ['--runs', '6'];
  await Promise.all([start(['--name', 'w1', ...half]), start(['--name', 'w2', ...half])]);
  await expectSuccess(ids);
  expect(mostTogether(turns())).toBe(2);
  expect(turns().filter(({ what }) => what === 'end')).toHaveLength(12);
  // Both had some of them.
  const rows = await cluster.query('select distinct executor_id from dbos.workflow_status');
  expect(rows.length).toBeGreaterThan(1);
  expect(await cluster.query('select * from attractor.permits where ended is null')).toEqual([]);
});

test('what a killed worker had at work, and what waited there, continues in its turn', async () => {
  await limit(`('slow', 2)`);
  const ids = await submit(6, 'slow');
  const doomed = await start(['--name', 'doomed']);
  await cluster.until(
    'two were at work',
    'select count(begun)::int as begun, count(*)::int as asked from attractor.permits where ended is null',
    ({ begun, asked }) => begun === 2 && Number(asked) > 2,
  );
  await start(['--name', 'heir']);
  doomed.kill('SIGKILL');
  await doomed.finished;
  appendFileSync(notes, 'kill - -\n');
  await expectSuccess(ids);
  expect(mostTogether(turns())).toBe(2);
});

test('a worker with the rights of its role gives out permits, and nobody else changes them', async () => {
  await cluster.query('create role machine login in role attractor_worker');
  await cluster.query('create role team_a login in role attractor_client');
  await limit(`('quick', 1)`);
  const worker = cluster.start(['worker', '--home', 'runs'], 'machine');
  atWork.push(worker);
  await worker.until('it was ready', () => worker.output().includes('is ready for'));
  await expectSuccess(await submit(3, 'quick'));
  expect(mostTogether(turns())).toBe(1);
  const refused = async (user: string, sql: string): Promise<unknown> => {
    const client = new pg.Client({ connectionString: cluster.urlFor(user) });
    await client.connect();
    try {
      return await client.query(sql).then(
        () => sql,
        ({ code }: { code: string }) => code,
      );
    } finally {
      await client.end();
    }
  };
  for (const [user, sql] of [
    ['team_a', `select * from attractor.ask_permit('quick', 'mine', 'mine')`],
    ['team_a', `select attractor.admit('quick')`],
    ['team_a', 'select from attractor.permits'],
    ['team_a', 'select from attractor.limits'],
    ['machine', 'update attractor.limits set concurrency = 100'],
    ['machine', 'delete from attractor.permits'],
    ['machine', `select attractor.admit('quick')`],
  ] as const)
    expect(await refused(user, sql), sql).toBe('42501');
});

test('a limit that somebody has locked for longer than a worker may be silent holds up nothing but its stages', async () => {
  await limit(`('quick', 2)`);
  const workers = await Promise.all([start(['--name', 'w1']), start(['--name', 'w2'])]);
  const locked = cluster.query(
    `do $$ begin update attractor.limits set concurrency = 3; perform pg_sleep(8); end $$`,
  );
  const ids = await submit(6, 'quick');
  await locked;
  await expectSuccess(ids);
  expect(turns().filter(({ what }) => what === 'begin')).toHaveLength(6);
  for (const worker of workers) expect(worker.output()).not.toMatch(/is gone|taken|does not answer/);
});

test('a rate holds for both workers together', async () => {
  await limit(`('quick', null, 3, 4)`);
  const ids = await submit(7, 'quick');
  await Promise.all([start(['--name', 'w1']), start(['--name', 'w2'])]);
  await expectSuccess(ids);
  const begun = turns().flatMap(({ what, time }) => (what === 'begin' ? [time] : []));
  expect(begun).toHaveLength(7);
  // An agent begins a moment after its permit, which is what the database counts.
  const [row] = await cluster.query(
    `select max(together)::int as most from (select count(*) over
      (order by begun range between interval '3.999 s' preceding and current row) as together from attractor.permits) t`,
  );
  expect(Number(row?.most)).toBeLessThanOrEqual(3);
  expect((begun[6] ?? 0) - (begun[0] ?? 0)).toBeGreaterThan(7000);
});

test('a limit is raised, and lifted, while stages wait', async () => {
  await limit(`('quick', 0)`);
  await start();
  const ids = await submit(3, 'quick');
  const asked =
    'select count(*)::int as asked, count(begun)::int as begun from attractor.permits where ended is null';
  await cluster.until('all waited', asked, (row) => row.asked === 3);
  expect(await cluster.query(asked)).toEqual([{ asked: 3, begun: 0 }]);
  await cluster.query(`update attractor.limits set concurrency = 1`);
  await cluster.until('one had ended', openRuns, ({ open }) => Number(open) < 3);
  await cluster.query('delete from attractor.limits');
  await expectSuccess(ids);
});
