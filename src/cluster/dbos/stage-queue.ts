import type { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { Pool } from 'pg';
import type { StageOrder } from '../../run/elsewhere/stages-elsewhere.js';
import type { Placement } from '../placement.js';
import type { StageEnding, StageQueue, StageReport, StageRequest } from '../spread/stage-queue.js';
import type { MessageWatch, MessageWatches } from './message-watch.js';
import { names } from './names.js';
import { patiently } from './patiently.js';
import { queueOf, queueSettings } from './queues.js';

interface QueueOptions {
  readonly client: () => DBOSClient;
  readonly pool: Pool;
  readonly messages: MessageWatches;
  /** Id of the run. */
  readonly runId: string;
  readonly placement: Placement;
}

/** Message to a stage. */
export interface OrderMessage {
  /** Milliseconds and number, with a dot between them. */
  readonly id: string;
  readonly order: StageOrder;
}

/**
 * Stages of a run as workflows of DBOS. They have the placement and the priority of the run, and count in the partition of its tenant.
 */
export function dbosStages({ client, pool, messages, runId, placement }: QueueOptions): StageQueue {
  const queue = queueOf({ requires: placement.requires }, 'stages');
  let watch: MessageWatch<StageReport> | undefined;
  const ofRun = once(() => patiently(() => readRun(pool, runId)));
  const register = once(() => patiently(() => client().registerQueue(queue, queueSettings)));
  let orders = 0;
  return {
    async submit(request) {
      const ending = await patiently(() => endingOf(pool, request));
      if (ending !== undefined) return ending;
      await register();
      const asRun = await ofRun();
      await patiently(() =>
        client().enqueue(
          {
            queueName: queue,
            workflowName: names.stage,
            workflowID: request.id,
            appVersion: names.version,
            // Not the tenant of the run, who must not send orders to it.
            authenticatedUser: '',
            ...asRun,
          },
          request,
        ),
      );
      return undefined;
    },
    async withdraw(stage) {
      const { rowCount } = await patiently(() =>
        pool.query(
          `update dbos.workflow_status set status = 'CANCELLED', updated_at = (extract(epoch from now()) * 1000)::bigint
           where workflow_uuid = $1 and status = 'ENQUEUED'`,
          [stage],
        ),
      );
      return rowCount === 1;
    },
    async open() {
      const { rows } = await patiently(() =>
        pool.query<{ stage: string }>(
          `select workflow_uuid as stage from dbos.workflow_status
           where name = $1 and status = any($2) and starts_with(workflow_uuid, $3)`,
          [names.stage, openStatuses, `${runId}/`],
        ),
      );
      return rows.map(({ stage }) => stage);
    },
    async tell(stage, order) {
      orders += 1;
      const id = `${Date.now()}.${orders}`;
      await patiently(() => client().send(stage, { id, order } satisfies OrderMessage, names.stageTopic));
    },
    async reports(signal) {
      signal.throwIfAborted();
      watch ??= messages.open<StageReport>(runId, names.stageTopic);
      // Two of a stage may have come in the same millisecond.
      return (await watch.next(signal)).toSorted(inOrder);
    },
    forget: (ids) => watch?.forget(ids),
    async lost(stages) {
      const { rows } = await patiently(() =>
        pool.query<{ stage: string; status: string }>(
          `select workflow_uuid as stage, status from dbos.workflow_status
           where workflow_uuid = any($1) and status <> all($2)`,
          [stages, [...openStatuses, 'SUCCESS']],
        ),
      );
      return rows.map(({ stage, status }) => ({
        stage,
        problem: `its workflow has the status ${status} in DBOS`,
      }));
    },
    close() {
      watch?.close();
      watch = undefined;
    },
  };
}

function inOrder(one: StageReport, other: StageReport): number {
  return one.execution - other.execution || one.number - other.number;
}

/** Statuses of a stage that is under way. */
const openStatuses = ['ENQUEUED', 'DELAYED', 'PENDING'];

/** End of a stage that has ended; one that was taken out of the queue, given up, or forgotten begins again as another. */
async function endingOf(
  pool: Pool,
  { id, runId }: Pick<StageRequest, 'id' | 'runId'>,
): Promise<StageEnding | undefined> {
  const { rows } = await pool.query<{ status: string; output: string | null; waits: boolean }>(
    `select status.status, coalesce(status.output, done.output) as output, exists (
       select from dbos.notifications where destination_uuid = $2 and topic = $3 and not consumed
         and starts_with(message_uuid, status.workflow_uuid || '#') and message_uuid like '%.end::%') as waits
     from dbos.workflow_status status left join dbos.workflow_output done using (workflow_uuid) where workflow_uuid = $1`,
    [id, runId, names.stageTopic],
  );
  const [row] = rows;
  if (row === undefined || openStatuses.includes(row.status)) return undefined;
  const isSettled = row.status === 'SUCCESS' && row.output !== null && JSON.parse(row.output) === 'settled';
  return isSettled && row.waits ? 'settled' : 'unsettled';
}

interface RunInQueue {
  readonly priority: number;
  readonly queuePartitionKey: string | undefined;
}

async function readRun(pool: Pool, runId: string): Promise<RunInQueue> {
  const { rows } = await pool.query<{ priority: number; key: string | null }>(
    `select priority, queue_partition_key as key from dbos.workflow_status where workflow_uuid = $1`,
    [runId],
  );
  const [row] = rows;
  return { priority: row?.priority ?? 0, queuePartitionKey: row?.key ?? undefined };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Orders to a stage in the order in which its run has given them: the database tells milliseconds apart, and no less. */
export function ordersOf(messages: readonly OrderMessage[]): readonly StageOrder[] {
  const numbersOf = ({ id }: OrderMessage): readonly number[] => id.split('.').map(Number);
  const sorted = messages.toSorted((one, other) => {
    const [time = 0, number = 0] = numbersOf(one);
    const [otherTime = 0, otherNumber = 0] = numbersOf(other);
    return time - otherTime || number - otherNumber;
  });
  return sorted.map(({ order }) => order);
}
