import type { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { Pool } from 'pg';
import { asOwner } from './as-owner.js';
import { names } from './names.js';
import { openPool } from './open-pool.js';
import { quietLogger } from './quiet-logger.js';

/** Number of runs that are removed in one transaction. */
const atOnce = 200;

/**
 * Removes the runs that ended before a time, with their history and their files. A run that can continue stays, however old it is.
 * @param before milliseconds since 1970
 * @returns number of the runs, those included that a dry run would remove
 * @throws UsageError if the connection may not remove what is recorded
 */
export async function pruneRuns(
  database: string,
  { before, isDryRun }: { readonly before: number; readonly isDryRun: boolean },
): Promise<number> {
  const { DBOSClient: Client } = await import('@dbos-inc/dbos-sdk');
  const pool = await openPool(database);
  const client = await Client.create({
    systemDatabasePool: pool,
    systemDatabaseUrl: database,
    applicationName: names.application,
    logger: quietLogger,
  });
  try {
    if (isDryRun) return (await endedRuns(client, before)).length;
    return await asOwner('prune', () => removeAll(client, pool, before));
  } finally {
    await client.destroy();
    await pool.end();
  }
}

async function removeAll(client: DBOSClient, pool: Pool, before: number): Promise<number> {
  let removed = 0;
  for (;;) {
    const ids = await endedRuns(client, before, atOnce);
    if (ids.length === 0) return removed;
    // Files first: a run without them is found again.
    await pool.query(`delete from attractor.files where run_id = any($1)`, [ids]);
    await client.deleteWorkflows([...ids, ...(await stagesOf(pool, ids))]);
    removed += ids.length;
  }
}

/** Attempts of stages of runs that other workers have performed. */
async function stagesOf(pool: Pool, runIds: readonly string[]): Promise<readonly string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select workflow_uuid as id from dbos.workflow_status where name = $1 and split_part(workflow_uuid, '/', 1) = any($2)`,
    [names.stage, runIds],
  );
  return rows.map(({ id }) => id);
}

/** To DBOS a run that fails has ended well, too; one that it could not carry on can be resumed. */
async function endedRuns(client: DBOSClient, before: number, limit?: number): Promise<readonly string[]> {
  const found = await client.listWorkflows({
    workflowName: names.workflow,
    status: 'SUCCESS',
    completedBefore: new Date(before).toISOString(),
    limit,
    loadInput: false,
    loadOutput: false,
  });
  return found.map(({ workflowID }) => workflowID);
}
