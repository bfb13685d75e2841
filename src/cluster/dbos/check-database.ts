import { messageOf } from '../../handlers/error-category.js';
import { UsageError } from '../../setup/usage-error.js';

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
 * @returns true if it has the tables of a cluster
 * @throws UsageError
 */
export async function checkDatabase(database: string): Promise<boolean> {
  await requireDbos();
  const { default: pg } = await import('pg');
  try {
    const client = new pg.Client({ connectionString: database, connectionTimeoutMillis: patienceMs });
    await client.connect();
    try {
      const { rows } = await client.query<{ found: boolean }>(
        `select to_regclass('attractor.workers') is not null as found`,
      );
      return rows[0]?.found === true;
    } finally {
      await client.end();
    }
  } catch (error) {
    throw new UsageError(`the database cannot be used: ${messageOf(error)}`);
  }
}

const patienceMs = 10_000;
