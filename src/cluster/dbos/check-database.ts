import type { Client } from 'pg';
import { messageOf } from '../../handlers/error-category.js';
import { UsageError } from '../../setup/usage-error.js';
import { roles } from './rights.js';
import { migrations } from './tables.js';

/**
 * Checks that the packages of a cluster are installed. Few installations need it, and it is as large as the rest.
 * @throws UsageError
 */
async function requireDbos(): Promise<void> {
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

/**
 * Checks that a database answers; without this, DBOS would wait for it.
 * @throws UsageError
 */
export async function checkDatabase(database: string): Promise<void> {
  await askDatabase(database, async () => undefined);
}

/**
 * Checks that a database answers, and has the tables of this version, or of a later one.
 * @throws UsageError
 */
export async function checkTables(database: string): Promise<void> {
  await askDatabase(database, checkVersions);
}

/**
 * Checks the same, and that the login may work as a worker.
 * @throws UsageError
 */
export async function checkWorkerTables(database: string): Promise<void> {
  await askDatabase(database, async (client) => {
    await checkVersions(client);
    await checkWorkerRights(client);
  });
}

/** @throws UsageError if the tables are missing or old */
async function checkVersions(client: Client): Promise<void> {
  const found = await versionsOf(client);
  if (found === undefined) throw new UsageError(`the database has no tables for a cluster; ${advice}`);
  const { allMigrations } = await import('@dbos-inc/dbos-sdk/internal/sysdb_migrations/internal/migrations');
  if (found.ours < migrations.length || found.ofDbos < allMigrations().length)
    throw new UsageError(`the tables of the database are older than this version of attractor; ${advice}`);
}

/** @throws UsageError for a login that is neither the owner nor a member of the role of workers */
async function checkWorkerRights(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string; may_work: boolean }>(
    `select current_user as name,
       has_table_privilege('attractor.workers', 'insert') and has_table_privilege('attractor.limits', 'select') as may_work`,
  );
  const [row] = rows;
  if (row?.may_work === true) return;
  throw new UsageError(
    `"${row?.name}" may not work as a worker: it lacks the role ${roles.worker}, which reads the runs of all tenants. Use a login that has it; the owner of the database makes one with: create role machine login in role ${roles.worker}`,
  );
}

const advice = 'make them with `attractor cluster migrate`, as the owner of the database';

/** Versions of the tables, as numbers of changes; undefined if there are none. */
interface Versions {
  readonly ours: number;
  readonly ofDbos: number;
}

async function versionsOf(client: Client): Promise<Versions | undefined> {
  try {
    const { rows } = await client.query<{ ours: number; of_dbos: string }>(
      `select changes as ours, (select max(version) from dbos.dbos_migrations) as of_dbos from attractor.version`,
    );
    const [row] = rows;
    return row && { ours: row.ours, ofDbos: Number(row.of_dbos) };
  } catch (error) {
    const { code } = error as { readonly code?: string };
    if (code === undefinedTable || code === invalidSchema) return undefined;
    if (code !== insufficientPrivilege) throw error;
    throw new UsageError(
      `"${client.user}" has no rights in the database; its owner gives them with: grant ${roles.client} to "${client.user}", or ${roles.worker} for a worker`,
    );
  }
}

const undefinedTable = '42P01';
const invalidSchema = '3F000';
const insufficientPrivilege = '42501';

/** @throws UsageError if the database does not answer */
async function askDatabase<Result>(
  database: string,
  ask: (client: Client) => Promise<Result>,
): Promise<Result> {
  await requireDbos();
  // Other forms mean a server to `pg`, but not to DBOS.
  if (!/^postgres(ql)?:\/\//i.test(database))
    throw new UsageError('the database is not named by a URL such as postgresql://user@host/name');
  const { default: pg } = await import('pg');
  try {
    const client = new pg.Client({ connectionString: database, connectionTimeoutMillis: patienceMs });
    try {
      await client.connect();
      return await ask(client);
    } finally {
      // Also after a login that the client itself has given up: its connection would keep this process for a minute.
      await client.end();
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`the database cannot be used: ${described(error, database)}`);
  }
}

/** Problem of a connection in words; what to do is added where the words of the library do not say it. */
function described(error: unknown, database: string): string {
  const { code = '' } = error as { readonly code?: string };
  if (messageOf(error).includes('client password must be a string')) return noPassword;
  const advice = isCutShort(database) ? encodePassword : advices.find(([codes]) => codes.includes(code))?.[1];
  return advice === undefined ? messageOf(error) : `${messageOf(error)}; ${advice}`;
}

/** True if a URL ends its host before the `@` that was meant to begin it, because of a character in the password. */
function isCutShort(database: string): boolean {
  return !URL.canParse(database) || /^[^/]+:\/\/[^@/?#]*[/?#].*@/.test(database);
}

const encodePassword =
  'special characters of a password must be percent-encoded in the URL: `#` as %23, `/` as %2F, `?` as %3F, `@` as %40, `%` as %25';

const noPassword = 'the server needs a password; put it into the URL, PGPASSWORD or ~/.pgpass (mode 600)';

const advices: readonly (readonly [codes: readonly string[], advice: string])[] = [
  [
    ['SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    'name the certificate of the authority that has signed that of the server: ?sslmode=verify-full&sslrootcert=FILE',
  ],
  [['ERR_TLS_CERT_ALTNAME_INVALID'], 'name the server as its certificate does, or connect to the right one'],
];

const patienceMs = 10_000;
