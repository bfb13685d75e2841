import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { openPool } from '../../src/cluster/dbos/open-pool.js';
import { ProviderPermits } from '../../src/cluster/dbos/provider-permits.js';
import type { Permit } from '../../src/cluster/limits/permits.js';
import { StageStopped } from '../../src/handlers/handler.js';
import { startDatabase } from './live-cluster.js';

const { server, database } = await startDatabase();
const pool: Pool = await openPool(database, 5);
const started: ProviderPermits[] = [];

beforeEach(async () => {
  for (const permits of started.splice(0)) permits.close();
  await pool.query(
    'delete from attractor.limits; delete from attractor.permits; delete from attractor.workers',
  );
});

afterAll(async () => {
  for (const permits of started) permits.close();
  await pool.end();
  await server.close();
});

interface Signs {
  /** Seconds since the last sign of life. */
  readonly silent?: number;
  /** Seconds since which it has given its signs of life without a pause. */
  readonly steady?: number;
}

/** A worker, as it stands in the database, with its permits. */
async function worker({ silent = 0, steady = 3600 }: Signs = {}): Promise<ProviderPermits> {
  const id = randomUUID();
  await pool.query(
    `insert into attractor.workers (id, host, pid, labels, max_runs, runs, version, beat, steady)
     values ($1, 'here', 1, '{}', 1, 0, $2, now() - make_interval(secs => $3), now() - make_interval(secs => $4))`,
    [id, `version of ${id}`, silent, steady],
  );
  const permits = await ProviderPermits.start(pool, id);
  started.push(permits);
  return permits;
}

async function allSilentFor(seconds: number): Promise<void> {
  await pool.query('update attractor.workers set beat = now() - make_interval(secs => $1)', [seconds]);
}

const limit = (values: string) => pool.query(`insert into attractor.limits values ${values}`);
const { signal: unending } = new AbortController();

/** Names of those who have a permit, in the order of the questions. */
async function holders(): Promise<readonly string[]> {
  const { rows } = await pool.query<{ holder: string }>(
    'select holder from attractor.permits where begun is not null and ended is null order by asked',
  );
  return rows.map(({ holder }) => holder);
}

/** Resolves when so many stand in the queue. */
async function waiting(count: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(
      'select from attractor.permits where begun is null and ended is null and worker is not null',
    );
    if (rows.length === count) return;
  }
}

/** Resolves when a place is kept that no worker has. */
async function keptPlace(holder: string): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(
      'select from attractor.permits where holder = $1 and ended is null and worker is null',
      [holder],
    );
    if (rows.length > 0) return;
  }
}

/** Asks for a permit, and has asked when it resolves. */
async function ask(permits: ProviderPermits, holder: string, signal = unending) {
  const given = permits.acquire('acme', holder, signal);
  given.catch(() => undefined);
  for (;;) {
    const { rows } = await pool.query('select from attractor.permits where holder = $1 and ended is null', [
      holder,
    ]);
    if (rows.length > 0) return { given };
  }
}

test('a row of the limits that somebody has locked keeps nobody from asking', async () => {
  await limit(`('acme', 1)`);
  const permits = await worker();
  const first = await permits.acquire('acme', 'first', unending);
  const locked = await pool.connect();
  await locked.query(`begin; update attractor.limits set concurrency = 2 where provider = 'acme'`);
  // One after the other: permits are given in the order in which they were asked for.
  const a = await ask(permits, 'a');
  const b = await ask(permits, 'b');
  const c = await ask(permits, 'c');
  first.release();
  await pool.query(`select attractor.begun_permits('nobody')`);
  await locked.query('commit');
  locked.release();
  const two = await Promise.all([a.given, b.given]);
  expect(await holders()).toHaveLength(2);
  for (const permit of two) permit.release();
  await c.given;
});

test('the permits of a worker that is silent are free, whatever its version', async () => {
  await limit(`('acme', 1)`);
  const dead = await worker();
  await dead.acquire('acme', 'left', unending);
  const living = await worker();
  await pool.query(`update attractor.workers set beat = now() - interval '31 seconds' where id in
    (select worker from attractor.permits where holder = 'left')`);
  const permit = await living.acquire('acme', 'next', unending);
  expect(await holders()).toEqual(['left', 'next']);
  permit.release();
});

test('a time without database frees no permit', async () => {
  await limit(`('acme', 1)`);
  const one = await worker();
  const held = await one.acquire('acme', 'first', unending);
  await allSilentFor(60);
  // Has just given its first sign of life again.
  const other = await worker({ steady: 0 });
  const { given } = await ask(other, 'second');
  await pool.query(`select attractor.begun_permits(id) from attractor.workers`);
  expect(await holders()).toEqual(['first']);
  held.release();
  await given;
  expect(await holders()).toEqual(['second']);
});

test.each([
  { name: 'waits', has: false },
  { name: 'is at work', has: true },
])('a stage that $name when its worker leaves keeps its place', async ({ has }) => {
  await limit(`('acme', ${has ? 1 : 0})`);
  const leaving = new AbortController();
  const [one, other] = [await worker(), await worker()];
  const { given } = await ask(one, 'first', leaving.signal);
  const permit: Permit | undefined = has ? await given : undefined;
  const { given: second } = await ask(other, 'second');
  await waiting(has ? 1 : 2);
  await pool.query('update attractor.limits set concurrency = 0');
  leaving.abort(new StageStopped('paused', 'the worker leaves'));
  permit?.release(true);
  await keptPlace('first');
  const { given: again } = await ask(other, 'first');
  await pool.query('update attractor.limits set concurrency = 1');
  const begun = await again;
  expect(await holders()).toEqual(['first']);
  begun.release();
  await second;
});

test('a place that is kept takes no room', async () => {
  await limit(`('acme', 0)`);
  const pausing = new AbortController();
  const permits = await worker();
  await ask(permits, 'first', pausing.signal);
  pausing.abort(new StageStopped('paused', 'lunch'));
  await waiting(0);
  const { given } = await ask(permits, 'second');
  await pool.query('update attractor.limits set concurrency = 1');
  await given;
  expect(await holders()).toEqual(['second']);
});

test('a stage that is stopped for good leaves the queue', async () => {
  await limit(`('acme', 0)`);
  const stopping = new AbortController();
  await ask(await worker(), 'first', stopping.signal);
  stopping.abort(new StageStopped('cancelled', 'enough'));
  await waiting(0);
  const { rows } = await pool.query('select from attractor.permits where ended is null');
  expect(rows).toEqual([]);
});

test('who waits for a full rate does not lock the row of the limit', async () => {
  await limit(`('acme', null, 2, 3600)`);
  const permits = await worker();
  await permits.acquire('acme', 'a', unending);
  await permits.acquire('acme', 'b', unending);
  await ask(permits, 'c');
  const client = await pool.connect();
  await client.query(`begin; select attractor.begun_permits(id) from attractor.workers`);
  const { rows } = await pool.query('select from attractor.limits for update skip locked');
  expect(rows).toHaveLength(1);
  await client.query('rollback');
  client.release();
  expect(await holders()).toEqual(['a', 'b']);
});
