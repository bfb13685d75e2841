import type { Pool, PoolClient } from 'pg';

/** Makes several changes or none. @throws whatever one of them throws */
export async function inTransaction<Result>(
  pool: Pool,
  change: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  // A lost connection also fails the query under way. Without a listener, it would end the process.
  client.on('error', ignore);
  try {
    await client.query('begin');
    const result = await change(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    client.removeListener('error', ignore);
    client.release();
  }
}

function ignore(): void {}
