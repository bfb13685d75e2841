import type { Pool, PoolClient } from 'pg';

/** Milliseconds for which the database holds a lock for a process that stands still (CLUSTER P3). */
const idleTransactionMs = 5000;
const connectMs = 10_000;
/** Seconds after which a connection is replaced: one may lead to a server that others have left. */
const lifetimeSeconds = 60;

/**
 * URL whose connections have the rights of a role that the login may become, and not those of the login. They begin with the role,
 * and `reset role` leads back to it, so that nothing comes before it or gets out of it.
 * @throws Error for a name that the option of a connection cannot have
 */
export function urlAsRole(database: string, role: string): string {
  if (!/^[\w.-]+$/.test(role)) throw new Error(`a connection cannot begin as ${JSON.stringify(role)}`);
  const url = new URL(database);
  const given = url.searchParams.get('options');
  url.searchParams.set('options', `${given === null ? '' : `${given} `}-c role=${role}`);
  return url.href;
}

interface Patience {
  /** Milliseconds that a query may take; without it, any time. */
  readonly queryMs?: number;
  /** Milliseconds that it may wait for a lock, until it fails with `lock_not_available`; without it, any time. */
  readonly lockMs?: number;
}

/**
 * Connections to the database of a cluster, for DBOS too. An error of one that is idle ends that connection only.
 * @param most connections at a time
 */
export async function openPool(
  database: string,
  most = 3,
  { queryMs, lockMs }: Patience = {},
): Promise<Pool> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString: database,
    max: most,
    keepAlive: true,
    maxLifetimeSeconds: lifetimeSeconds,
    connectionTimeoutMillis: connectMs,
    idle_in_transaction_session_timeout: idleTransactionMs,
    query_timeout: queryMs,
    lock_timeout: lockMs,
  });
  pool.on('error', () => undefined);
  leaveReadOnly(pool);
  return pool;
}

/** SQLSTATE `read_only_sql_transaction`. */
const readOnly = '25006';

/**
 * Ends a connection that had to refuse a write: it leads to a server that has become a standby, or keeps the settings of that time,
 * whereas a new one reaches whichever server may write now.
 */
function leaveReadOnly(pool: Pool): void {
  const left = new WeakSet<PoolClient>();
  pool.on('connect', (client) => {
    client.connection.on('errorMessage', ({ code }: { readonly code?: string }) => {
      if (code === readOnly) left.add(client);
    });
  });
  // The pool keeps no connection that is about to end.
  pool.on('release', (_problem, client) => {
    if (left.has(client)) void client.end();
  });
}
