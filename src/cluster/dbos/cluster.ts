import { randomUUID } from 'node:crypto';
import type { Batch, RunMessage, Submission } from '../durable-run.js';
import { RunHistory } from '../run-history.js';
import { names } from './names.js';
import { openPool } from './open-pool.js';
import { migration, readWorkers, type WorkerRow } from './tables.js';

/** A database of runs, for those who submit, watch and steer. */
export interface Cluster {
  submit(submission: Submission): Promise<void>;
  /** @returns undefined if there is no such run */
  find(runId: string): Promise<ClusterRun | undefined>;
  /** Ids of the runs, the newest first. */
  list(limit: number): Promise<readonly ListedRun[]>;
  workers(): Promise<readonly WorkerRow[]>;
  close(): Promise<void>;
}

export interface ListedRun {
  readonly runId: string;
  /** `queued`, `running`, how the run has ended, or `error` for one that DBOS could not carry on. */
  readonly status: string;
  readonly worker: string | undefined;
  readonly submittedAt: number;
}

/** A run in the database, as it was when it was read last. */
export interface ClusterRun {
  readonly history: RunHistory;
  /** Reads what was recorded since. */
  refresh(): Promise<void>;
  /** @returns the id of the message, by which its receipt is found in the history */
  send(message: Saying): Promise<string>;
}

/** A message without its id. */
type Saying = RunMessage extends infer Message
  ? Message extends RunMessage
    ? Omit<Message, 'id'>
    : never
  : never;

/** Makes the tables, or changes them for this version; the role needs the right to. */
export async function migrateCluster(database: string): Promise<void> {
  const { DBOS } = await import('@dbos-inc/dbos-sdk');
  await DBOS.migrate(database);
  const pool = await openPool(database);
  try {
    await pool.query(migration);
  } finally {
    await pool.end();
  }
}

/** Opens the database of a cluster. */
export async function openCluster(database: string): Promise<Cluster> {
  const { DBOSClient } = await import('@dbos-inc/dbos-sdk');
  const client = await DBOSClient.create({ systemDatabaseUrl: database, applicationName: names.application });
  const pool = await openPool(database);
  const outputs = (runId: string, offset: number) => readBatches(client, runId, offset);
  return {
    async submit(submission) {
      await client.enqueue(
        {
          queueName: names.queue,
          workflowName: names.workflow,
          workflowID: submission.runId,
          appVersion: names.version,
        },
        submission,
      );
    },
    async find(runId) {
      const [found] = await client.listWorkflows({ workflowIDs: [runId], loadInput: true });
      const submission = found?.input?.[0];
      if (!isSubmission(submission)) return undefined;
      const history = new RunHistory(submission);
      let offset = 0;
      const refresh = async (): Promise<void> => {
        const { batches, next } = await outputs(runId, offset);
        offset = next;
        for (const batch of batches) history.add(batch);
      };
      await refresh();
      return {
        history,
        refresh,
        async send(message) {
          const id = randomUUID();
          await client.send(runId, { ...message, id }, names.topic, id);
          return id;
        },
      };
    },
    async list(limit) {
      const found = await client.listWorkflows({
        workflowName: names.workflow,
        sortDesc: true,
        limit,
        loadInput: false,
      });
      return found.map(({ workflowID, status, output, executorId, createdAt }) => ({
        runId: workflowID,
        status: runStatus(status, output),
        worker: executorId,
        submittedAt: createdAt,
      }));
    },
    workers: () => readWorkers(pool),
    async close() {
      await client.destroy();
      await pool.end();
    },
  };
}

/** Status of a run: to DBOS a run that fails is a success, because its workflow has ended. */
function runStatus(status: string, output: unknown): string {
  if (typeof output === 'object' && output !== null && 'status' in output) return String(output.status);
  return runStatuses[status] ?? status.toLowerCase();
}

const runStatuses: Readonly<Record<string, string>> = {
  ENQUEUED: 'queued',
  DELAYED: 'queued',
  PENDING: 'running',
  MAX_RECOVERY_ATTEMPTS_EXCEEDED: 'error',
};

/** Number of steps that are read at a time. */
const page = 500;

async function readBatches(
  client: import('@dbos-inc/dbos-sdk').DBOSClient,
  runId: string,
  from: number,
): Promise<{ readonly batches: readonly Batch[]; readonly next: number }> {
  const batches: Batch[] = [];
  let next = from;
  for (;;) {
    const steps = (await client.listWorkflowSteps(runId, { offset: next, limit: page })) ?? [];
    for (const { name, output } of steps) if (name === names.step && isBatch(output)) batches.push(output);
    next += steps.length;
    if (steps.length < page) return { batches, next };
  }
}

function isSubmission(value: unknown): value is Submission {
  return typeof value === 'object' && value !== null && 'runId' in value && 'pipeline' in value;
}

function isBatch(value: unknown): value is Batch {
  return typeof value === 'object' && value !== null && 'records' in value;
}
