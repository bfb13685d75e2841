import type { Pool, PoolClient } from 'pg';
import { asOwner, codeOf, insufficientPrivilege } from './as-owner.js';
import { inTransaction } from './in-transaction.js';
import { openPool } from './open-pool.js';
import { quietLogger } from './quiet-logger.js';
import { functionGrants, grantStatements, roles, schemaGrants, tableRights } from './rights.js';
import { migrations } from './tables.js';

/** Result of a migration: whether the roles exist, which not every owner of a database may make. */
export interface Migrated {
  readonly hasRoles: boolean;
}

/**
 * Makes the tables, or changes them for this version, and gives the roles their rights.
 * @throws UsageError if the connection does not own the database
 */
export function migrateCluster(database: string): Promise<Migrated> {
  return asOwner('migrate', () => migrate(database));
}

async function migrate(database: string): Promise<Migrated> {
  // As `DBOS.migrate`, which would print lines of its own.
  const { migrateSystemDatabase } = await import('@dbos-inc/dbos-sdk/internal/system_database');
  const { GlobalLogger } = await import('@dbos-inc/dbos-sdk/internal/telemetry/logs');
  await migrateSystemDatabase(database, new GlobalLogger(undefined, { logger: quietLogger }));
  const pool = await openPool(database);
  try {
    await alone(pool, changeTables);
    const hasRoles = await makeRoles(pool);
    if (hasRoles) {
      await alone(pool, performAll([...schemaGrants, ...functionGrants]));
      // Each table by itself: workers use them meanwhile, and would wait for each other with one that holds several.
      for (const row of tableRights) await alone(pool, performAll(grantStatements(row)));
    }
    return { hasRoles };
  } finally {
    await pool.end();
  }
}

/** Makes the changes that the database does not have yet. */
async function changeTables(client: PoolClient): Promise<void> {
  await client.query(`create schema if not exists attractor`);
  await client.query(`create table if not exists attractor.version (changes integer not null)`);
  const { rows } = await client.query<{ changes: number }>(`select changes from attractor.version`);
  const made = rows[0]?.changes ?? 0;
  for (const change of migrations.slice(made)) await client.query(change);
  if (rows.length === 0) await client.query(`insert into attractor.version values ($1)`, [migrations.length]);
  else if (made < migrations.length)
    await client.query(`update attractor.version set changes = $1`, [migrations.length]);
}

/** @returns false if a role does not exist, and the connection may not make it */
async function makeRoles(pool: Pool): Promise<boolean> {
  const names = Object.values(roles);
  for (const name of names) {
    try {
      const { rowCount } = await pool.query(`select from pg_roles where rolname = $1`, [name]);
      if (rowCount === 0) await pool.query(`create role ${name} nologin`);
    } catch (error) {
      const code = codeOf(error);
      if (code === insufficientPrivilege) return false;
      // Roles are for all databases of a server: another migration has just made it.
      if (code !== duplicateObject && code !== uniqueViolation) throw error;
    }
  }
  return true;
}

const duplicateObject = '42710';
const uniqueViolation = '23505';

function performAll(statements: readonly string[]): (client: PoolClient) => Promise<void> {
  return async (client) => {
    for (const statement of statements) await client.query(statement);
  };
}

/** Makes a change in a transaction, while no other migration makes one. */
async function alone(pool: Pool, change: (client: PoolClient) => Promise<void>): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query(`select pg_advisory_xact_lock(hashtext('attractor.migrate'))`);
    await change(client);
  });
}
