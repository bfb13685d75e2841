import { EventEmitter } from 'node:events';
import type { Pool } from 'pg';
import { expect, test } from 'vitest';
import { inTransaction } from '../../src/cluster/dbos/in-transaction.js';

/** A connection that is lost during a query, which it says as `pg` does: to the query, and as an event. */
class LostConnection extends EventEmitter {
  readonly queries: string[] = [];
  isReleased = false;

  async query(text: string): Promise<void> {
    this.queries.push(text);
    if (text === 'begin') return;
    const error = new Error('Connection terminated unexpectedly');
    this.emit('error', error);
    throw error;
  }

  release(): void {
    this.isReleased = true;
  }
}

test('a connection that is lost in a transaction fails the transaction, and not the process', async () => {
  const client = new LostConnection();
  const pool = { connect: async () => client } as unknown as Pool;
  const failed = inTransaction(pool, async (connection) => void (await connection.query('update')));
  await expect(failed).rejects.toThrow('terminated');
  expect(client.queries).toEqual(['begin', 'update', 'rollback']);
  expect([client.isReleased, client.listenerCount('error')]).toEqual([true, 0]);
});
