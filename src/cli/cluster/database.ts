import path from 'node:path';
import type { Command } from 'commander';
import type { Cluster } from '../../cluster/cluster.js';
import { UsageError } from '../../setup/usage-error.js';
import type { Io } from '../io.js';

export interface DatabaseArguments {
  readonly database?: string;
}

/** True if a call names a run by its directory, which is always one of this machine (SEMANTICS 89). */
export function isRunPath(name: string): boolean {
  return name.includes('/') || name.includes(path.sep) || name === '.' || name === '..';
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
  const url = database ?? io.env[variable];
  return url ? withCheckedServer(url) : undefined;
}

/** Names the check that `pg` makes for these modes, so that it does not warn about those of its next version. */
function withCheckedServer(database: string): string {
  if (/[?&]uselibpqcompat=/.test(database)) return database;
  return database.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}

/** Database that a command of the cluster uses. @throws UsageError if the call names none */
export function databaseOf(given: DatabaseArguments, io: Io): string {
  const url = databaseIfAny(given, io);
  if (url === undefined) throw new UsageError(`no database is named; ${example}, or set ${variable}`);
  return url;
}

/**
 * Database of a process that starts programs of others, which inherit its environment: from here on, neither the URL nor the password
 * is there.
 * @throws UsageError if the call names none
 */
export function databaseOfWorker(given: DatabaseArguments, io: Io): string {
  const database = databaseOf(given, io);
  const { PGPASSWORD: password } = io.env;
  for (const name of [variable, 'PGPASSWORD']) delete process.env[name];
  if (password === undefined || password === '' || !URL.canParse(database)) return database;
  const url = new URL(database);
  if (url.password === '') url.password = encodeURIComponent(password);
  return url.href;
}

const example = 'name it as --database postgresql://user@host/name';

/** Uses the database of a cluster, and closes it. @throws UsageError if it cannot be reached, or was never prepared */
export async function withCluster<Result>(
  database: string,
  use: (cluster: Cluster) => Promise<Result>,
): Promise<Result> {
  const { checkTables } = await import('../../cluster/dbos/check-database.js');
  await checkTables(database);
  const { openCluster } = await import('../../cluster/dbos/cluster.js');
  const cluster = await openCluster(database);
  try {
    return await use(cluster);
  } finally {
    await cluster.close();
  }
}
