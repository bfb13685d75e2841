import { writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tableRights } from '../../src/cluster/dbos/rights.js';
import { pipeline } from '../run/harness.js';
import { liveCluster } from './live-cluster.js';

const cluster = await liveCluster();
const { query, urlFor, start } = cluster;

const gate = pipeline(
  'a [shape=parallelogram, tool_command="echo done"]',
  'g [shape=hexagon, label="Ship it?"]',
  'start -> a -> g',
  'g -> exit [label="[Y] Yes"]',
);

/** A run of `team_a` that waits at a gate, and has steps and an answered question behind it in the database. */
let victim = '';

beforeAll(async () => {
  await query(`create role team_a login in role attractor_client`);
  await query(`create role team_b login in role attractor_client`);
  await query(`create role machine login in role attractor_worker`);
  await query(`create role nobody login`);
  writeFileSync(path.join(cluster.directory, 'gate.dot'), gate);
  const worker = start(['worker', '--home', 'runs', '--allow-tools'], 'machine');
  await worker.until('it was ready', () => worker.output().includes('is ready for'));
  const submitted = await start(['run', 'gate.dot', '--detach'], 'team_a').finished;
  victim = submitted.stdout.trim();
  await cluster.until(
    'the gate was open',
    `select count(*)::int as steps from dbos.operation_outputs`,
    (row) => Boolean(row.steps),
  );
  await query(
    `insert into dbos.notifications (destination_uuid, topic, message) values ($1, 'other', '{}')`,
    [victim],
  );
});

describe('the whole life of a run, with a role each for its tenant and for the worker', () => {
  test('it is submitted, carried, answered and followed', async () => {
    const followed = await start(['run', 'gate.dot', '--answer', 'g=Y'], 'team_a').finished;
    expect(followed).toMatchObject({ status: 0 });
    expect(followed.stdout).toContain('success');
  });

  test('each tenant sees its own runs, and a worker all', async () => {
    const seen = async (user: string): Promise<number> => {
      const { stdout } = await start(['cluster', 'status', '--json'], user).finished;
      return JSON.parse(stdout).runs.length;
    };
    expect(await Promise.all(['team_a', 'team_b', 'machine', 'postgres'].map(seen))).toEqual([2, 0, 2, 2]);
  });

  test('a role without rights is told how to get them', async () => {
    const { status, stderr } = await start(['cluster', 'status'], 'nobody').finished;
    expect(status).toBe(2);
    expect(stderr).toContain('grant attractor_client to "nobody"');
  });

  test('a tenant may not work as a worker, and its process ends', async () => {
    const { status, stderr } = await start(['worker', '--home', 'strangers'], 'team_a').finished;
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /^attractor: "team_a" may not work as a worker: it lacks the role attractor_worker.*\n$/,
    );
  });

  test('a worker that fails while it starts ends', async () => {
    await query('revoke select on dbos.queues from attractor_worker');
    const { status, stderr } = await start(['worker', '--home', 'strangers'], 'machine').finished;
    await query('grant select on dbos.queues to attractor_worker');
    expect([status, stderr]).toEqual([1, expect.stringContaining('permission denied for table queues')]);
  });

  test.each(['team_a', 'machine'])('%s may not migrate', async (user) => {
    const { status, stderr } = await start(['cluster', 'migrate'], user).finished;
    expect(status).toBe(2);
    expect(stderr).toContain('migrate as the owner of the database');
  });
});

describe('tables of an older version', () => {
  beforeAll(() => query('update attractor.version set changes = changes - 1'));
  afterAll(() => query('update attractor.version set changes = changes + 1'));

  test.each([['worker'], ['cluster', 'status']])('%s %s asks for a migration', async (...args) => {
    const { status, stderr } = await start(args, 'machine').finished;
    expect(status).toBe(2);
    expect(stderr).toContain('older than this version of attractor');
    expect(stderr).toContain('attractor cluster migrate');
  });
});

test('each table has rights, and only roles that are named there', async () => {
  const tables = await query(
    `select schemaname || '.' || tablename as name from pg_tables where schemaname in ('dbos', 'attractor') order by 1`,
  );
  expect(tables.map(({ name }) => name)).toEqual(tableRights.map(({ table }) => table).sort());
  const strangers = await query(
    `select distinct grantee from information_schema.role_table_grants where table_schema in ('dbos', 'attractor')
     union select distinct grantee from information_schema.column_privileges where table_schema in ('dbos', 'attractor')`,
  );
  expect(strangers.map(({ grantee }) => grantee).sort()).toEqual([
    'attractor_client',
    'attractor_worker',
    'postgres',
  ]);
});

const run = `workflow_uuid = $1`;
const addStatus = (columns: string, values: string, queue = `'runs'`): string =>
  `insert into dbos.workflow_status (workflow_uuid, name, queue_name, status, ${columns}) values ('forged', 'run', ${queue}, ${values})`;

/** What a role tries with the run of `team_a` that waits at a gate, `$1`; nothing of it may work. */
const attempts: readonly (readonly [user: string, what: string, sql: string])[] = [
  ['team_b', 'reads runs', `select from dbos.workflow_status`],
  ['team_b', 'reads pipelines', `select inputs from dbos.workflow_input`],
  ['team_b', 'reads steps', `select output from dbos.operation_outputs`],
  ['team_b', 'reads results', `select output from dbos.workflow_output`],
  ['team_b', 'reads messages', `select message from dbos.notifications`],
  [
    'team_b',
    'reads by a join',
    `select o.output from (values ($1)) v (id) left join dbos.operation_outputs o on o.workflow_uuid = v.id where o.output <> ''`,
  ],
  [
    'team_b',
    'looks for rows in a function that is asked before the policy',
    `select from dbos.operation_outputs where ${run} and pg_temp.seen(output)`,
  ],
  [
    'team_b',
    'answers',
    `insert into dbos.notifications (destination_uuid, topic, message) values ($1, 'attractor', '{}')`,
  ],
  [
    'team_b',
    'answers by the function of DBOS',
    `select dbos.send_message($1, '{"kind":"cancel"}', 'attractor')`,
  ],
  ['team_b', 'cancels', `update dbos.workflow_status set status = 'CANCELLED' where ${run}`],
  [
    'team_b',
    'submits it again',
    `${addStatus('authenticated_user', `'ENQUEUED', 'team_b'`).replace(`'forged'`, '$1')}
     on conflict (workflow_uuid) do update set creator_xid = workflow_status.creator_xid`,
  ],
  [
    'team_b',
    'brings a pipeline for a run that is not its own',
    `insert into dbos.workflow_input (workflow_uuid, inputs) values ('forged', '[]')`,
  ],
  [
    'team_b',
    'submits in the name of another',
    addStatus('authenticated_user', `'ENQUEUED', coalesce('team_a', $1)`),
  ],
  ['team_b', 'submits in no name', addStatus('creator_xid', `'ENQUEUED', $1`)],
  ['team_b', 'becomes another', `select set_config('role', 'team_a', false), $1::text`],
  ['team_b', 'becomes a worker', `select set_config('role', 'attractor_worker', false), $1::text`],
  ['team_a', 'ends its own run', `update dbos.workflow_status set status = 'SUCCESS' where ${run}`],
  [
    'team_a',
    'gives its run away',
    `update dbos.workflow_status set authenticated_user = 'team_b' where ${run}`,
  ],
  [
    'team_a',
    'takes it from its worker',
    `update dbos.workflow_status set owner_xid = 'x', executor_id = 'x' where ${run}`,
  ],
  [
    'team_a',
    'writes a step',
    `insert into dbos.operation_outputs (workflow_uuid, function_id, output) values ($1, 99, '{}')`,
  ],
  ['team_a', 'changes a step', `update dbos.operation_outputs set output = '{}' where ${run}`],
  ['team_a', 'changes the pipeline', `update dbos.workflow_input set inputs = '[]' where ${run}`],
  ['team_a', 'changes a message', `update dbos.notifications set message = '{}' where destination_uuid = $1`],
  [
    'team_a',
    'reports what a stage has come to',
    `insert into dbos.notifications (destination_uuid, topic, message) values ($1, 'stages', '{}')`,
  ],
  ...['bobrun/3.1/1#1.1.end::bobrun', 'x::bobrun', 'other', '::'].map(
    (id) =>
      [
        'team_a',
        `takes ${id}, the id of a message to another run`,
        `insert into dbos.notifications (destination_uuid, topic, message, message_uuid) values ($1, 'attractor', '{}', '${id}')`,
      ] as const,
  ),
  [
    'team_a',
    'takes the id of a message by the function of DBOS',
    `select dbos.send_message($1, '{}', 'attractor', 'x::bobrun')`,
  ],
  ...[`'stages'`, `'stages:gpu'`, `'runsome'`, `'_dbos_internal_queue'`, 'null'].map(
    (queue) =>
      [
        'team_a',
        `submits a run to the queue ${queue}`,
        addStatus('authenticated_user', `'ENQUEUED', coalesce('team_a', $1)`, queue),
      ] as const,
  ),
  ['team_a', 'deletes its run', `delete from dbos.workflow_status where ${run}`],
  [
    'team_a',
    'submits a run that is over',
    addStatus('authenticated_user', `coalesce('SUCCESS', $1), 'team_a'`),
  ],
  [
    'team_a',
    'submits something else than a run',
    addStatus('authenticated_user', `'ENQUEUED', coalesce('team_a', $1)`).replace(`'run'`, `'other'`),
  ],
  ['team_a', 'changes a queue', `update dbos.queues set worker_concurrency = 0 where name <> $1`],
  [
    'team_a',
    'makes a queue with limits',
    `insert into dbos.queues (name, concurrency) values ('runs:gpu', 0)`,
  ],
  ['team_a', 'makes another queue', `insert into dbos.queues (name) values ('other')`],
  [
    'team_a',
    'makes itself a worker',
    `insert into attractor.workers (id, host, pid, labels, max_runs, runs, version)
     values ($1, '', 1, '{}', 1, 0, '')`,
  ],
  ['team_a', 'lets workers die', `delete from attractor.workers where id <> $1`],
  ['machine', 'deletes a run', `delete from dbos.workflow_status where ${run}`],
  ['machine', 'deletes a step', `delete from dbos.operation_outputs where ${run}`],
  ['machine', 'migrates', `update dbos.dbos_migrations set version = length($1)`],
  ...['dbos', 'attractor', 'public'].map(
    (schema) => ['machine', `makes a table in ${schema}`, `create table ${schema}.mine (id text)`] as const,
  ),
  ['machine', 'changes a table', `alter table dbos.workflow_status disable row level security`],
  ['machine', 'empties a table', `truncate dbos.operation_outputs`],
  ['machine', 'opens a table for others', `create policy everyone on dbos.operation_outputs using (true)`],
];

/** The same as above, but as it is allowed. */
const allowed: readonly (readonly [what: string, sql: string])[] = [
  ...['runs', 'runs:gpu,linux', 'runs@machine.local'].map(
    (queue) =>
      [
        `submits a run to the queue ${queue}`,
        addStatus('authenticated_user', `'ENQUEUED', coalesce('team_a', $1)`, `'${queue}'`),
      ] as const,
  ),
  [
    'sends a message with the id of its run',
    `insert into dbos.notifications (destination_uuid, topic, message, message_uuid) values ($1, 'attractor', '{}', 'x::' || $1)`,
  ],
  [
    'sends a message with an id that PostgreSQL makes',
    `insert into dbos.notifications (destination_uuid, topic, message) values ($1, 'attractor', '{}')`,
  ],
];

test.each(allowed)('team_a %s', async (_what, sql) => {
  expect(await attempt('team_a', sql)).toMatchObject({ kind: 'done', rows: '1' });
});

describe('what must not work, but for the owner', () => {
  test.each(attempts)('%s %s', async (user, _what, sql) => {
    expect(await attempt('postgres', sql)).toMatchObject({
      kind: 'done',
      rows: expect.not.stringMatching('^0$'),
    });
    const before = await content();
    const refused = await attempt(user, sql, 'commit');
    expect(refused).toMatchObject(
      refused.kind === 'refused' ? { code: insufficientPrivilege } : { rows: '0', said: [] },
    );
    expect(await content()).toEqual(before);
  });
});

const insufficientPrivilege = '42501';

type Attempt =
  | { readonly kind: 'done'; readonly rows: string; readonly said: readonly string[] }
  | { readonly kind: 'refused'; readonly code: string | undefined };

async function attempt(user: string, sql: string, end: 'commit' | 'rollback' = 'rollback'): Promise<Attempt> {
  const client = new pg.Client({ connectionString: urlFor(user) });
  const said: string[] = [];
  client.on('notice', ({ message }) => said.push(message ?? ''));
  await client.connect();
  try {
    await client.query('begin');
    if (sql.includes('pg_temp.')) await client.query(leaking);
    const { rowCount } = await client.query(sql, sql.includes('$1') ? [victim] : []);
    await client.query(end);
    return { kind: 'done', rows: String(rowCount), said };
  } catch (error) {
    return { kind: 'refused', code: (error as pg.DatabaseError).code };
  } finally {
    await client.end();
  }
}

/** A function that says what it was asked about, and seems cheap. */
const leaking = `create function pg_temp.seen(content text) returns boolean cost 0.0001 language plpgsql as
  $$ begin raise notice '%', content; return true; end $$`;

/** All that is recorded, but for signs of life. */
async function content(): Promise<unknown> {
  return Promise.all([
    query(`select * from dbos.workflow_status order by workflow_uuid`),
    query(`select * from dbos.workflow_input order by 1`),
    query(`select * from dbos.operation_outputs order by workflow_uuid, function_id`),
    query(`select * from dbos.notifications order by message_uuid`),
    query(`select name, worker_concurrency from dbos.queues`),
    query(`select id from attractor.workers`),
    query(`select relname, relrowsecurity from pg_class where relkind = 'r' order by oid`),
  ]);
}
