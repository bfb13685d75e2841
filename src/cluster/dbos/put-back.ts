import type { Pool } from 'pg';
import { counted } from '../../diagnostic/counted.js';
import { machineOf, names } from './names.js';
import { attributesOf, queueOf } from './queues.js';

/** Numbers of what went back to the queues. */
export interface PutBack {
  readonly runs: number;
  /** Stages of spread runs. */
  readonly stages: number;
}

/** Execution of a run, or of a stage, by its claim. */
export interface ClaimedExecution {
  readonly id: string;
  /** Token that the claim has left in the row. */
  readonly token: string | null;
}

/**
 * Puts what a worker has back into the queues, as DBOS does when it recovers a worker. Sticky runs wait for a worker on the same
 * machine from then on.
 * @param only executions; without them, all that the worker has
 */
export async function putBack(
  pool: Pool,
  workerId: string,
  only?: readonly ClaimedExecution[],
): Promise<PutBack> {
  const { rows } = await pool.query<{ name: string }>(
    `update dbos.workflow_status
     set status = 'ENQUEUED', owner_xid = null, started_at_epoch_ms = null,
       updated_at = (extract(epoch from now()) * 1000)::bigint,
       queue_name = case when attributes @> $4 then $5 else queue_name end
     where status = 'PENDING' and executor_id = $1 and name = any($2) and application_version = $3
       and ($6::text[] is null or (workflow_uuid, owner_xid) in (select * from unnest($6::text[], $7::text[])))
     returning name`,
    [
      workerId,
      executed,
      names.version,
      attributesOf({ files: { reach: 'sticky' } }),
      queueOf({ requires: [], host: machineOf(workerId) }),
      only?.map(({ id }) => id),
      only?.map(({ token }) => token),
    ],
  );
  const stages = rows.filter(({ name }) => name === names.stage).length;
  return { runs: rows.length - stages, stages };
}

/** Names of the workflows that workers execute. */
export const executed: readonly string[] = [names.workflow, names.stage];

/** What went back, as the subject of a sentence; undefined if nothing did. */
export function describePutBack({ runs, stages }: PutBack): string | undefined {
  const parts = [
    runs === 0 ? undefined : counted(runs, 'run'),
    stages === 0 ? undefined : counted(stages, 'stage'),
  ];
  const [first, second] = parts.filter((part) => part !== undefined);
  return second === undefined ? first : `${first} and ${second}`;
}
