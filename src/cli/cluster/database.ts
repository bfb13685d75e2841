import type { Command } from 'commander';
import type { Cluster } from '../../cluster/dbos/cluster.js';
import { UsageError } from '../../setup/usage-error.js';
import type { Io } from '../io.js';

export interface DatabaseArguments {
  readonly database?: string;
}

const variable = 'ATTRACTOR_DATABASE_URL';

/** Adds the option that says where the runs of a cluster are. */
export function addDatabaseOption(command: Command): Command {
  return command.option('--database <url>', `PostgreSQL database of a cluster (or ${variable})`);
}

/** Database of a command that works without one too. */
export function databaseIfAny({ database }: DatabaseArguments, io: Io): string | undefined {
  return database ?? io.env[variable];
}

/** Database that a command of the cluster uses. @throws UsageError if the call names none */
export function databaseOf(given: DatabaseArguments, io: Io): string {
  const url = databaseIfAny(given, io);
  if (url === undefined || url === '')
    throw new UsageError(
      `no database is named: add --database postgresql://user@host/name, or set ${variable}`,
    );
  return url;
}

/**
 * Checks that the packages of a cluster are installed. Few installations need it, and it is as large as the rest.
 * @throws UsageError
 */
export async function requireDbos(): Promise<void> {
  try {
    await Promise.all([import('@dbos-inc/dbos-sdk'), import('pg')]);
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new UsageError(
      'a cluster needs two packages that are not installed: npm install @dbos-inc/dbos-sdk@5.3.0 pg',
    );
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
}

/** Uses the database of a cluster, and closes it. @throws UsageError if it cannot be reached, or was never prepared */
export async function withCluster<Result>(
  database: string,
  use: (cluster: Cluster) => Promise<Result>,
): Promise<Result> {
  await requireDbos();
  const { openCluster } = await import('../../cluster/dbos/cluster.js');
  const cluster = await openCluster(database);
  try {
    return await use(cluster);
  } finally {
    await cluster.close();
  }
}
