import type { Pool } from 'pg';

/** Connections for what DBOS has no function for. An error of one that is idle ends that connection only. */
export async function openPool(database: string): Promise<Pool> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: database, max: 3, idle_in_transaction_session_timeout: 5000 });
  pool.on('error', () => undefined);
  return pool;
}
