import type { Pool } from 'pg';
import type { Content, FileStore } from '../files/file-store.js';
import { inTransaction } from './in-transaction.js';
import { patiently } from './patiently.js';

/** Bytes of a file in one row: a larger one takes several. */
const rowBytes = 2 ** 20;
/** Rows that are written in one statement. */
const rowsTogether = 64;

/**
 * Files of a run in the database. Each run has its own rows, so that they go with it: `run_id` says what may be removed, also what a
 * worker has stored that died before it could record it.
 */
export function databaseFiles(pool: Pool, runId: string): FileStore {
  return {
    async put(contents) {
      const small = contents.filter(({ bytes }) => bytes.length <= rowBytes);
      for (let start = 0; start < small.length; start += rowsTogether)
        await patiently(() => insert(pool, runId, small.slice(start, start + rowsTogether).map(asRow)));
      for (const content of contents)
        if (content.bytes.length > rowBytes) await patiently(() => insertLarge(pool, runId, content));
    },
    async get(hashes) {
      const { rows } = await patiently(() =>
        pool.query<{ sha256: string; content: Buffer }>(
          `select sha256, content from attractor.files where run_id = $1 and sha256 = any($2) order by sha256, part`,
          [runId, hashes],
        ),
      );
      const found = new Map<string, Buffer[]>();
      for (const { sha256, content } of rows) found.set(sha256, [...(found.get(sha256) ?? []), content]);
      return new Map([...found].map(([sha256, parts]) => [sha256, Buffer.concat(parts)]));
    },
  };
}

interface Row {
  readonly sha256: string;
  readonly part: number;
  readonly bytes: Uint8Array;
}

function asRow({ sha256, bytes }: Content): Row {
  return { sha256, part: 0, bytes };
}

async function insert(pool: Pick<Pool, 'query'>, runId: string, rows: readonly Row[]): Promise<void> {
  await pool.query(
    `insert into attractor.files (run_id, sha256, part, content)
     select $1, row.* from unnest($2::text[], $3::integer[], $4::bytea[]) row on conflict do nothing`,
    [
      runId,
      rows.map(({ sha256 }) => sha256),
      rows.map(({ part }) => part),
      rows.map(({ bytes }) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)),
    ],
  );
}

/** Inserts all rows of a content or none: the first one says that it is there. */
async function insertLarge(pool: Pool, runId: string, { sha256, bytes }: Content): Promise<void> {
  const { rowCount } = await pool.query(
    `select 1 from attractor.files where run_id = $1 and sha256 = $2 limit 1`,
    [runId, sha256],
  );
  if (rowCount !== 0) return;
  await inTransaction(pool, async (client) => {
    for (let start = 0, part = 0; start < bytes.length; start += rowBytes, part += 1)
      await insert(client, runId, [{ sha256, part, bytes: bytes.subarray(start, start + rowBytes) }]);
  });
}
