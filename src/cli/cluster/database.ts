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

/**
 * Database of a command that works without one too; an empty variable names none, as an unset one.
 * @throws UsageError if the call names an empty one: what was meant to run elsewhere must not run here
 */
export function databaseIfAny({ database }: DatabaseArguments, io: Io): string | undefined {
  if (database === '') throw new UsageError(`--database is empty; ${example}`);
  return (database ?? io.env[variable]) || undefined;
}

/** Database that a command of the cluster uses. @throws UsageError if the call names none */
export function databaseOf(given: DatabaseArguments, io: Io): string {
  const url = databaseIfAny(given, io);
  if (url === undefined) throw new UsageError(`no database is named; ${example}, or set ${variable}`);
  return url;
}

const example = 'name it as --database postgresql://user@host/name';

/** Uses the database of a cluster, and closes it. @throws UsageError if it cannot be reached, or was never prepared */
export async function withCluster<Result>(
  database: string,
  use: (cluster: Cluster) => Promise<Result>,
): Promise<Result> {
  const { checkDatabase } = await import('../../cluster/dbos/check-database.js');
  if (!(await checkDatabase(database)))
    throw new UsageError(
      'the database has no tables for a cluster; make them with `attractor cluster migrate`',
    );
  const { openCluster } = await import('../../cluster/dbos/cluster.js');
  const cluster = await openCluster(database);
  try {
    return await use(cluster);
  } finally {
    await cluster.close();
  }
}
