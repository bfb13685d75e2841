import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { openCluster } from '../../src/cluster/dbos/cluster.js';
import { urlAsRole } from '../../src/cluster/dbos/open-pool.js';
import type { AcceptedRun, RunList } from '../../src/server/api/run.js';
import { routes } from '../../src/server/routes/index.js';
import { pipeline } from '../run/harness.js';
import { eventually } from '../server/asked-server.js';
import { liveCluster } from './live-cluster.js';
import { asks, type Caller, is, type ServedCluster, serveCluster } from './serve-cluster.js';

const cluster = await liveCluster();
const { query, start, urlFor } = cluster;

const gate = pipeline(
  'a',
  'g [shape=hexagon, label="Ship?"]',
  'start -> a -> g',
  'g -> exit [label="[Y] Yes"]',
);

let server: ServedCluster;
let alice: Caller;
let bob: Caller;

async function addToken(name: string): Promise<string> {
  const { stdout } = await start(['token', 'add', name, '--token-file', 'token']).finished;
  return stdout.trim();
}

beforeAll(async () => {
  await query('create role machine login in role attractor_worker');
  await query('create role server login in role attractor_client');
  await query('create role outsider');
  for (const tenant of ['alice', 'bob', '"Dr.Eve-1"']) {
    await query(`create role ${tenant} in role attractor_client`);
    await query(`grant ${tenant} to server`);
  }
  await query('create role frank in role attractor_client');
  const [ofAlice = '', ofBob = ''] = [
    await addToken('alice'),
    await addToken('bob'),
    await addToken('carol'),
  ];
  const worker = start(['worker', '--home', 'runs'], 'machine');
  await worker.until('it was ready', () => worker.output().includes('is ready for'));
  server = await serveCluster(cluster, { user: 'server' });
  alice = server.as(ofAlice);
  bob = server.as(ofBob);
});

const idsOf = async (caller: Caller): Promise<readonly string[]> =>
  (await caller.get<RunList>('/pipelines')).runs.map(({ id }) => id);

describe('a run that a named token submits', () => {
  let id = '';

  beforeAll(async () => {
    id = await alice.submit(gate, { backend: 'simulate' });
    await alice.until(id, asks('g'));
  });

  test('belongs to the tenant of that name, who sees and steers it', async () => {
    expect(
      await query('select authenticated_user as tenant from dbos.workflow_status where workflow_uuid = $1', [
        id,
      ]),
    ).toEqual([{ tenant: 'alice' }]);
    expect(await idsOf(alice)).toEqual([id]);
    const file = await alice.ask(`/pipelines/${id}/stages/a/files/response.md`);
    expect(await file.text()).toContain('[Simulated]');
  });

  test('is not there for another token, nor for that of the server, whatever they ask', async () => {
    const operations = routes.filter(({ path }) => path.includes('{id}'));
    expect(operations.length).toBeGreaterThan(20);
    for (const { method, path } of operations) {
      const address = path
        .replace('{id}', id)
        .replace('{node}', 'a')
        .replace('{qid}', 'g')
        .replace('{path}', 'response.md')
        .replace('{aid}', 'x');
      for (const other of [bob, server])
        expect(
          (await other.ask(address, method === 'post' ? { answer: 'Y' } : undefined)).status,
          `${method} ${address}`,
        ).toBe(404);
    }
    for (const other of [bob, server]) {
      expect(await idsOf(other)).toEqual([]);
      expect(await (await other.ask(`/events?runs=${id}`)).text()).toContain('"http_status":404');
    }
    expect(await alice.get(`/pipelines/${id}`)).toMatchObject({ status: 'running' });
  });

  test('is answered by its tenant, and goes on for its tenant alone', async () => {
    const answer = await alice.ask(`/pipelines/${id}/questions/g/answer`, { answer: 'Y' });
    expect(await answer.json()).toMatchObject({ value: 'Y' });
    await alice.until(id, is('success'));
    expect(await requeued('bob', id)).toBe(false);
    expect(await requeued('alice', id)).toBe(true);
  });

  test('is resumed after its end, and forked, by its tenant', async () => {
    const cancelled = await alice.submit(gate, { backend: 'simulate' });
    await alice.until(cancelled, asks('g'));
    expect((await alice.ask(`/pipelines/${cancelled}/cancel`, {})).status).toBe(202);
    await alice.until(cancelled, is('cancelled'));
    expect((await alice.ask(`/pipelines/${cancelled}/resume`, { from: 'a', max_steps: 9 })).status).toBe(202);
    await alice.until(cancelled, asks('g'));
    await alice.ask(`/pipelines/${cancelled}/questions/g/answer`, { answer: 'Y' });
    await alice.until(cancelled, is('success'));
    const forked = await alice.ask(`/pipelines/${cancelled}/fork`, { at: 'g', resume: true });
    expect(forked.status).toBe(201);
    const { id: fork } = (await forked.json()) as AcceptedRun;
    expect((await bob.ask(`/pipelines/${fork}`)).status).toBe(404);
    await alice.until(fork, asks('g'));
    const file = await alice.ask(`/pipelines/${fork}/stages/a/files/response.md`);
    expect(await file.text()).toContain('[Simulated]');
    await alice.ask(`/pipelines/${fork}/questions/g/answer`, { answer: 'Y' });
    await alice.until(fork, is('success'));
  });

  test('is counted in metrics, which only the token of the server gets', async () => {
    expect((await server.ask('/metrics')).status).toBe(200);
    expect((await alice.ask('/metrics')).status).toBe(403);
  });
});

test('a token without a tenant is told so, at the start and at each request, until there is one', async () => {
  const remedy = 'create role "carol" in role attractor_client; grant "carol" to "server"';
  expect(server.process.output()).toContain(
    `the token "carol" has no runs: the database has no role "carol"; its owner makes one with: ${remedy}`,
  );
  expect(server.process.output()).toContain('the token "alice" has the runs of the tenant "alice"');
  const dave = server.as(await addToken('dave'));
  expect(await (await dave.ask('/pipelines')).json()).toMatchObject({
    error: { code: 'not_allowed', message: expect.stringContaining('the database has no role "dave"') },
  });
  expect((await dave.ask('/pipelines', { dot: gate })).status).toBe(403);
  expect((await dave.ask('/capabilities')).status).toBe(200);
  await query('create role "dave" in role attractor_client');
  await query('grant "dave" to "server"');
  await eventually(async () => ((await dave.ask('/pipelines')).ok ? true : undefined));
  const id = await dave.submit(gate, { simulate: true });
  expect(await idsOf(dave)).toEqual([id]);
});

describe('a login acts for', () => {
  const cannotBe = (name: string, reason: string): string =>
    `"${name}" cannot be a tenant of the cluster, because ${reason}; give the token another name`;
  const cases: readonly (readonly [login: string, tenant: string, says: string | undefined])[] = [
    ['server', 'Dr.Eve-1', undefined],
    ['postgres', 'bob', undefined],
    [
      'server',
      'frank',
      '"server" may not act for "frank"; the owner of the database allows it with: grant "frank" to "server"',
    ],
    [
      'postgres',
      'outsider',
      'the role "outsider" may not use the cluster; the owner of the database allows it with: grant attractor_client to "outsider"',
    ],
    ['server', 'attractor_client', cannotBe('attractor_client', 'it is a role of the cluster')],
    ['server', 'attractor_worker', cannotBe('attractor_worker', 'it is a role of the cluster')],
    ...['none', 'public', 'pg_read_all_data', 'pg_no_role'].map(
      (name) => ['server', name, cannotBe(name, 'PostgreSQL keeps the name for itself')] as const,
    ),
    ...['server', 'postgres'].flatMap((login) => [
      [login, 'postgres', cannotBe('postgres', 'the role is a superuser')] as const,
      [login, 'deputy', cannotBe('deputy', 'the role may become postgres')] as const,
      [login, 'machine', cannotBe('machine', 'the role may become attractor_worker')] as const,
      [login, 'both', cannotBe('both', 'the role may become attractor_worker')] as const,
      [login, 'unheld', cannotBe('unheld', 'the role bypasses row-level security')] as const,
      [login, 'maker', cannotBe('maker', 'the role may make roles')] as const,
    ]),
  ];

  beforeAll(async () => {
    await query('create role "both" in role attractor_client, attractor_worker');
    await query('create role unheld bypassrls in role attractor_client');
    await query('create role maker createrole in role attractor_client');
    await query('create role deputy in role attractor_client, postgres');
  });

  test.each(cases)('%s: %s', async (login, tenant, says) => {
    const own = await openCluster(urlFor(login));
    try {
      const opening = own.forTenant(tenant);
      if (says !== undefined) return await expect(opening).rejects.toThrow(says);
      const opened = await opening;
      expect(await opened.list()).toEqual([]);
      await opened.close();
    } finally {
      await own.close();
    }
  });
});

test('the options of a URL hold for a tenant, too', async () => {
  const url = `${urlFor('server')}?options=-c%20statement_timeout%3D777`;
  expect(
    await asRole(url, 'bob', `select current_user::text as role, current_setting('statement_timeout') as ms`),
  ).toEqual({ role: 'bob', ms: '777ms' });
  expect(() => urlAsRole(url, 'bob -c role=postgres')).toThrow('cannot begin as');
});

async function requeued(tenant: string, id: string): Promise<unknown> {
  const { done } = await asRole(urlFor('server'), tenant, 'select attractor.requeue($1) as done', [id]);
  return done;
}

async function asRole(
  url: string,
  role: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Readonly<Record<string, unknown>>> {
  const client = new pg.Client({ connectionString: urlAsRole(url, role) });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql, [...values]);
    return rows[0] ?? {};
  } finally {
    await client.end();
  }
}
