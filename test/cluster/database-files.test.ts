import type { Pool } from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { databaseFiles } from '../../src/cluster/dbos/database-files.js';
import { contentOf } from '../../src/cluster/files/file-store.js';

afterEach(() => void vi.useRealTimers());

/** A database that fails as often as there are errors. */
function failingWith(...errors: readonly Error[]) {
  const left = [...errors];
  let answered = 0;
  const query = async (): Promise<{ rows: readonly [] }> => {
    const error = left.shift();
    if (error !== undefined) throw error;
    answered += 1;
    return { rows: [] };
  };
  return { pool: { query } as unknown as Pool, answered: () => answered };
}

const small = contentOf(Buffer.from('an answer'));

test.each([
  ['a connection that ended with the server', new Error('Connection terminated unexpectedly')],
  ['a server that is not there', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })],
  ['one that starts', Object.assign(new Error('starting up'), { code: '57P03', severity: 'FATAL' })],
])('files are stored and read when the database is back, after %s', async (_, error) => {
  vi.useFakeTimers();
  const { pool, answered } = failingWith(error, error, error);
  const files = databaseFiles(pool, 'run');
  const work = files.put([small]).then(() => files.get([small.sha256]));
  await vi.advanceTimersByTimeAsync(10_000);
  expect([...(await work)]).toEqual([]);
  expect(answered()).toBe(2);
});

test('what the database says of the files themselves is not repeated', async () => {
  const full = Object.assign(new Error('value too long'), { code: '22001', severity: 'ERROR' });
  await expect(databaseFiles(failingWith(full).pool, 'run').put([small])).rejects.toBe(full);
});
