import type { Pool } from 'pg';
import type { FileStore } from '../files/file-store.js';
import { patiently } from './patiently.js';

/** Request for the files of other runs. */
interface SharedFilesRequest {
  readonly pool: Pool;
  /** Runs that may have them. */
  readonly runs: readonly string[];
  /** Finds the tenant whose runs they must be; undefined for any. */
  findTenant(): Promise<string | undefined>;
  storeOf(runId: string): FileStore;
}

/** Files that a fork shares with the runs that it comes from. Those of other tenants are not there. */
export function sharedFiles({ pool, runs, findTenant, storeOf }: SharedFilesRequest): Pick<FileStore, 'get'> {
  return {
    async get(hashes) {
      const tenant = await findTenant();
      const { rows } = await patiently(() =>
        pool.query<{ id: string }>(
          `select workflow_uuid as id from dbos.workflow_status
           where workflow_uuid = any($1) and ($2::text is null or authenticated_user = $2)`,
          [runs, tenant],
        ),
      );
      const readable = new Set(rows.map(({ id }) => id));
      const found = new Map<string, Uint8Array>();
      for (const runId of runs.filter((id) => readable.has(id))) {
        const missing = hashes.filter((sha256) => !found.has(sha256));
        if (missing.length === 0) break;
        for (const [sha256, bytes] of await storeOf(runId).get(missing)) found.set(sha256, bytes);
      }
      return found;
    },
  };
}
