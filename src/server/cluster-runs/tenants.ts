import path from 'node:path';
import type { Cluster } from '../../cluster/cluster.js';
import { messageOf } from '../../handlers/error-category.js';
import { clusterHome } from '../../setup/find-run.js';
import { UsageError } from '../../setup/usage-error.js';
import { ProblemError } from '../problem-error.js';
import type { RunRegistry } from '../runs/run-registry.js';
import type { ServerOptions } from '../server-options.js';
import { answered } from './answered.js';

/** Milliseconds for which a tenant that the database has refused is not tried again. */
const refusedMs = 5000;

interface OpenedTenant {
  readonly registry: RunRegistry;
  close(): Promise<void>;
}

/**
 * Runs of the named tokens of a server of a cluster: each name is a tenant, whose connections to the database are its own, so that no
 * request sees what another tenant has.
 */
export class Tenants {
  readonly #cluster: Cluster;
  readonly #openRegistry: (cluster: Cluster, tenant: string) => RunRegistry;
  /** By name, those included that are being opened, or that the database has just refused. */
  readonly #known = new Map<string, Promise<OpenedTenant>>();
  readonly #open = new Set<OpenedTenant>();
  #isClosed = false;

  /** @param openRegistry opens the runs of a tenant, in the cluster as that tenant has it */
  constructor(cluster: Cluster, openRegistry: (cluster: Cluster, tenant: string) => RunRegistry) {
    this.#cluster = cluster;
    this.#openRegistry = openRegistry;
  }

  /**
   * Runs of a tenant.
   * @throws ProblemError `not_allowed` with what the owner of the database has to do, `unavailable`
   */
  async registryOf(tenant: string): Promise<RunRegistry> {
    const { registry } = await answered(this.#tenant(tenant));
    return registry;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#open].map((tenant) => tenant.close()));
  }

  #tenant(name: string): Promise<OpenedTenant> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const opening = this.#openTenant(name);
    this.#known.set(name, opening);
    opening.catch(() => setTimeout(() => this.#known.delete(name), refusedMs).unref());
    return opening;
  }

  async #openTenant(name: string): Promise<OpenedTenant> {
    const cluster = await this.#cluster.forTenant(name).catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      const refused = `the token "${name}" has no runs: ${messageOf(error)}`;
      throw new ProblemError('not_allowed', refused, { cause: error });
    });
    const registry = this.#openRegistry(cluster, name);
    const tenant: OpenedTenant = {
      registry,
      async close() {
        await registry.close();
        await cluster.close();
      },
    };
    // A database that was away answers whenever it wants.
    if (this.#isClosed) await tenant.close();
    else this.#open.add(tenant);
    return tenant;
  }
}

/**
 * Options of a server for a tenant. Without --allow-tools, workers let its runs work below the directory that is called like it, in
 * that where they were started (docs/cluster.md).
 */
export function optionsFor(tenant: string, options: ServerOptions): ServerOptions {
  const { workingDirectory, home } = options;
  const isUsual = path.resolve(home) === clusterHome(path.resolve(workingDirectory));
  return { ...options, home: clusterHome(path.resolve(isUsual ? workingDirectory : home, tenant)) };
}
