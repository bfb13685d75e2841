import type { Cluster } from '../../cluster/cluster.js';
import type { Log } from '../../telemetry/log.js';
import { ProblemError } from '../problem-error.js';
import type { RunRegistry, RunRegistryDeps } from '../runs/run-registry.js';
import { namedTokensDirectory, tokenNames } from '../security/named-tokens.js';
import type { ServerOptions } from '../server-options.js';
import { openClusterRegistry } from './open-cluster-registry.js';
import { optionsFor, Tenants } from './tenants.js';

/** Runs of a cluster for a server: those of its login, and those of the tenant of each named token. */
export interface ClusterRegistries {
  readonly registry: RunRegistry;
  /** @throws ProblemError `not_allowed`, `unavailable` */
  registryOf(token: string): Promise<RunRegistry>;
  close(): Promise<void>;
}

/** Opens the runs of a cluster for a server, and logs which of its named tokens have none. */
export async function openClusterRegistries(
  options: ServerOptions,
  cluster: Cluster,
  deps: RunRegistryDeps,
): Promise<ClusterRegistries> {
  const registry = openClusterRegistry(options, cluster, deps);
  const tenants = new Tenants(cluster, (own, tenant) =>
    openClusterRegistry(optionsFor(tenant, options), own, deps),
  );
  await logTenants(tokenNames(namedTokensDirectory(options.tokenFile)), tenants, deps.log);
  return {
    registry,
    registryOf: (token) => tenants.registryOf(token),
    async close() {
      await Promise.all([registry.close(), tenants.close()]);
    },
  };
}

async function logTenants(names: readonly string[], tenants: Tenants, log: Log): Promise<void> {
  for (const name of names) {
    try {
      await tenants.registryOf(name);
      log.write('info', `the token "${name}" has the runs of the tenant "${name}"`);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      log.write('warning', error.message);
    }
  }
}
