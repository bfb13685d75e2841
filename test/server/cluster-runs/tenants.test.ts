import path from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Cluster } from '../../../src/cluster/cluster.js';
import { optionsFor, Tenants } from '../../../src/server/cluster-runs/tenants.js';
import type { RunRegistry } from '../../../src/server/runs/run-registry.js';
import { UsageError } from '../../../src/setup/usage-error.js';
import { serverOptions } from '../runs/harness.js';

/** A database that knows some tenants, and what is open of it. */
class Database {
  readonly known: Set<string>;
  readonly asked: string[] = [];
  readonly open = new Set<string>();

  constructor(...known: readonly string[]) {
    this.known = new Set(known);
  }

  get tenants(): Tenants {
    return new Tenants({ forTenant: (name) => this.#forTenant(name) } as Cluster, (_, name) => {
      this.open.add(`runs of ${name}`);
      return { close: async () => void this.open.delete(`runs of ${name}`) } as RunRegistry;
    });
  }

  async #forTenant(name: string): Promise<Cluster> {
    this.asked.push(name);
    await Promise.resolve();
    if (!this.known.has(name)) throw new UsageError(`there is no role "${name}"`);
    this.open.add(name);
    return { close: async () => void this.open.delete(name) } as Cluster;
  }
}

test('each tenant has connections and runs of its own, which are opened once', async () => {
  const database = new Database('alice', 'bob');
  const { tenants } = database;
  const [one, again, other] = await Promise.all(['alice', 'alice', 'bob'].map((n) => tenants.registryOf(n)));
  expect(again).toBe(one);
  expect(other).not.toBe(one);
  expect(database.asked).toEqual(['alice', 'bob']);
  expect([...database.open].sort()).toEqual(['alice', 'bob', 'runs of alice', 'runs of bob']);
  await tenants.close();
  expect([...database.open]).toEqual([]);
});

test('a tenant that the database refuses is tried again after a while', async () => {
  vi.useFakeTimers();
  const database = new Database();
  const { tenants } = database;
  const ask = () => tenants.registryOf('carol');
  const refused = { code: 'not_allowed', message: 'the token "carol" has no runs: there is no role "carol"' };
  await expect(ask()).rejects.toMatchObject(refused);
  database.known.add('carol');
  await expect(ask()).rejects.toMatchObject(refused);
  expect(database.asked).toEqual(['carol']);
  await vi.advanceTimersByTimeAsync(5000);
  expect(await ask()).toBe(await ask());
  await tenants.close();
  vi.useRealTimers();
});

test('the end does not wait for a database that is away, and leaves nothing open', async () => {
  const database = new Database('alice', 'bob');
  const { tenants } = database;
  await tenants.registryOf('alice');
  const opening = tenants.registryOf('bob');
  await tenants.close();
  await opening;
  expect([...database.open]).toEqual([]);
});

test('what is no refusal is passed on as it is', async () => {
  const broken = new Error('the database is full');
  const tenants = new Tenants({ forTenant: () => Promise.reject(broken) } as unknown as Cluster, () => {
    throw new Error('nothing was opened');
  });
  await expect(tenants.registryOf('alice')).rejects.toBe(broken);
  await tenants.close();
});

test.each([
  ['.attractor/cluster', 'alice/.attractor/cluster'],
  ['/srv/runs', '/srv/runs/alice/.attractor/cluster'],
])('with the home %s, the runs of a tenant are in %s', (home, own) => {
  const options = serverOptions('/work', { home: path.resolve('/work', home) });
  expect(optionsFor('alice', options)).toEqual({ ...options, home: path.resolve('/work', own) });
});
