import { randomUUID } from 'node:crypto';
import type { DBOSClient, WorkflowStatus } from '@dbos-inc/dbos-sdk';
import type { Pool } from 'pg';
import { messageOf } from '../../handlers/error-category.js';
import { noStageWorkers, type StageWorkers } from '../../view/active-stage.js';
import type { Carrier, Cluster, ClusterRun, ClusterWorker, ListedRun } from '../cluster.js';
import type { Batch, Submission } from '../durable-run.js';
import type { FileStore } from '../files/file-store.js';
import { awaited } from '../placement.js';
import { RunHistory } from '../run-history.js';
import type { RunEnd } from '../run-progress.js';
import { attemptOf } from '../spread/try-id.js';
import {
  batchOf,
  type StoredBatch,
  type StoredSubmission,
  storedSubmission,
  submissionOf,
} from '../stored-batch.js';
import { databaseFiles } from './database-files.js';
import { jsonSerializer } from './json-serializer.js';
import { machineOf, names, workerOf } from './names.js';
import { openPool } from './open-pool.js';
import { patiently } from './patiently.js';
import { attributesOf, placementOfQueue, queueOf, queueSettings } from './queues.js';
import { quietLogger } from './quiet-logger.js';
import { readNews } from './read-news.js';
import { readStageWorkers, readWorkers } from './tables.js';
import { currentRole, openTenantPool } from './tenants.js';

/** Opens the database of a cluster. */
export async function openCluster(database: string): Promise<Cluster> {
  return clusterBehind(await openPool(database), database);
}

/** @param pool connections to the database, as whoever uses the cluster */
async function clusterBehind(pool: Pool, database: string): Promise<Cluster> {
  const { DBOSClient } = await import('@dbos-inc/dbos-sdk');
  const client = await DBOSClient.create({
    systemDatabaseUrl: database,
    systemDatabasePool: pool,
    applicationName: names.application,
    logger: quietLogger,
    serializer: jsonSerializer,
  });
  const queues = new Set<string>();
  const births = new Map<string, Birth>();
  let known: Promise<string> | undefined;
  const tenant = (): Promise<string> => {
    known ??= patiently(() => currentRole(pool));
    return known;
  };
  return {
    async submit(submission, priority = 0) {
      const queue = queueOf(submission.placement);
      // Workers make the queue of their machine.
      const isOnMachine = submission.placement.host !== undefined;
      if (!queues.has(queue) && !isOnMachine)
        await patiently(() => client.registerQueue(queue, queueSettings));
      queues.add(queue);
      const user = await tenant();
      await patiently(() =>
        client.enqueue(
          {
            queueName: queue,
            workflowName: names.workflow,
            workflowID: submission.runId,
            appVersion: names.version,
            authenticatedUser: user,
            // A queue that limits what each partition has limits each tenant.
            queuePartitionKey: user,
            attributes: attributesOf(submission),
            priority: largestPriority - priority,
          },
          storedSubmission(submission),
        ),
      );
    },
    async find(runId) {
      const [found] = await client.listWorkflows({ workflowIDs: [runId], loadInput: true });
      const submission = found?.input?.[0];
      if (found === undefined || !isSubmission(submission)) return undefined;
      const run = new StoredRun(submissionOf(submission), found.createdAt, client, pool);
      await run.refresh();
      return run;
    },
    async list(limit, which = 'all') {
      const found = await client.listWorkflows({
        workflowName: names.workflow,
        status: which === 'open' ? openStatuses : undefined,
        sortDesc: true,
        limit,
        loadInput: false,
      });
      await loadBirths(client, found, births);
      const workers = await patiently(() => readWorkers(pool));
      return found.map((run) => listedRun(run, births.get(run.workflowID) ?? unknownBirth, workers));
    },
    news: (after) => patiently(() => readNews(pool, after)),
    workers: () => patiently(() => readWorkers(pool)),
    forTenant: async (name) => clusterBehind(await openTenantPool(database, pool, name), database),
    async close() {
      await client.destroy();
      await pool.end();
    },
  };
}

/** To DBOS, the smallest number comes first. */
const largestPriority = 9999;

/** A run in the tables of DBOS. */
class StoredRun implements ClusterRun {
  readonly history: RunHistory;
  readonly submittedAt: number;
  readonly files: FileStore;
  readonly #client: DBOSClient;
  readonly #pool: Pool;
  #offset = 0;
  #carrier: Carrier = { kind: 'over' };
  #machine: string | undefined;
  #stageWorkers = noStageWorkers;
  #reading: Promise<void> | undefined;

  constructor(submission: Submission, submittedAt: number, client: DBOSClient, pool: Pool) {
    this.submittedAt = submittedAt;
    this.history = new RunHistory(submission);
    this.#client = client;
    this.#pool = pool;
    this.files = databaseFiles(pool, submission.runId);
  }

  get carrier(): Carrier {
    return this.#carrier;
  }

  get machine(): string | undefined {
    return this.#machine;
  }

  get stageWorkers(): StageWorkers {
    return this.#stageWorkers;
  }

  refresh(): Promise<void> {
    // Two at once would read the same steps twice.
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    // Read first: what a worker records in between is then still its own.
    const [status] = await this.#client.listWorkflows({
      workflowIDs: [this.#id],
      loadInput: false,
      loadOutput: true,
    });
    this.#machine = status?.executorId && machineOf(status.executorId);
    this.#carrier = status === undefined ? gone : await carrierOf(status, this.#pool);
    const { batches, next } = await readBatches(this.#client, this.#id, this.#offset);
    this.#offset = next;
    for (const batch of batches) this.history.add(batch);
    const isSpread = this.#carrier.kind === 'worker' && mayBeSpread(this.history.run.manifest);
    this.#stageWorkers = isSpread ? await this.#readStageWorkers() : noStageWorkers;
  }

  async #readStageWorkers(): Promise<StageWorkers> {
    const found = await patiently(() => readStageWorkers(this.#pool, this.#id));
    return new Map([...found].map(([tryOfIt, worker]) => [attemptOf(tryOfIt, this.#id), worker]));
  }

  async historyUntil(seq: number): Promise<RunHistory> {
    const history = new RunHistory(this.history.submission);
    const { batches } = await readBatches(this.#client, this.#id, 0);
    for (const batch of batches) if (history.view.seq < seq) history.add(batch);
    return history;
  }

  async send(message: Parameters<ClusterRun['send']>[0], id: string = randomUUID()): Promise<string> {
    await patiently(() => this.#client.send(this.#id, { ...message, id }, names.topic, id));
    return id;
  }

  async restart(): Promise<void> {
    await patiently(() => this.#pool.query('select attractor.requeue($1)', [this.#id]));
  }

  get #id(): string {
    return this.history.submission.runId;
  }
}

/** @param manifest text of the manifest of a run */
function mayBeSpread(manifest: string): boolean {
  return manifest.includes('"spread"');
}

const gone: Carrier = { kind: 'failed', problem: 'the run was removed from the database' };

async function carrierOf(found: WorkflowStatus, pool: Pool): Promise<Carrier> {
  const { status, executorId, createdAt, updatedAt, dequeuedAt } = found;
  switch (status) {
    case 'ENQUEUED':
    case 'DELAYED': {
      const awaits = awaitedBy(found, await patiently(() => readWorkers(pool)));
      return { kind: 'queue', since: updatedAt ?? createdAt, awaits };
    }
    case 'PENDING': {
      const since = dequeuedAt ?? createdAt;
      const worker = (await patiently(() => readWorkers(pool))).find(({ id }) => id === executorId);
      // Without a sign of life, another one takes the run over.
      return worker === undefined
        ? { kind: 'queue', since, awaits: anotherWorker }
        : { kind: 'worker', id: worker.id, host: worker.host, pid: worker.pid, since };
    }
    default: {
      const problem = problemOf(found);
      return problem === undefined ? { kind: 'over' } : { kind: 'failed', problem };
    }
  }
}

/** Reason why DBOS could not carry a run on; undefined if it can, or the run is over. */
function problemOf({ status, error }: WorkflowStatus): string | undefined {
  switch (status) {
    case 'ENQUEUED':
    case 'DELAYED':
    case 'PENDING':
    case 'SUCCESS':
      return undefined;
    case 'ERROR':
      return messageOf(error);
    case 'CANCELLED':
      return 'its workflow was cancelled in DBOS';
    default:
      return `its workflow has the status ${status} in DBOS`;
  }
}

/** Facts of a submission that a list needs. They never change, so they are read once. */
type Birth = Pick<ListedRun, 'manifest' | 'shared'>;

const unknownBirth: Birth = { manifest: '', shared: undefined };
const mostBirths = 5000;

async function loadBirths(
  client: DBOSClient,
  listed: readonly WorkflowStatus[],
  known: Map<string, Birth>,
): Promise<void> {
  const unknown = listed.map(({ workflowID }) => workflowID).filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  if (known.size > mostBirths) known.clear();
  const missing = listed.map(({ workflowID }) => workflowID).filter((id) => !known.has(id));
  const found = await client.listWorkflows({ workflowIDs: missing, loadInput: true, loadOutput: false });
  for (const { workflowID, input } of found) {
    const submission = input?.[0];
    if (!isSubmission(submission)) continue;
    const { manifest, shared } = submissionOf(submission);
    known.set(workflowID, { manifest, shared: shared?.batch });
  }
}

function listedRun(run: WorkflowStatus, birth: Birth, workers: readonly ClusterWorker[]): ListedRun {
  const { workflowID: runId, executorId, output, createdAt } = run;
  const recorded = runStatus(run.status, output);
  // Without a sign of life, another one takes the run over.
  const isLeft = recorded === 'running' && workers.every(({ id }) => id !== executorId);
  const status = isLeft ? 'queued' : recorded;
  return {
    runId,
    status,
    worker: status === 'queued' ? undefined : executorId,
    ...birth,
    end: isEnd(output) ? output : undefined,
    submittedAt: createdAt,
    awaits: isLeft ? anotherWorker : awaitedBy(run, workers),
    problem: problemOf(run),
  };
}

const anotherWorker = 'another worker';

/** Thing that a run waits for in a queue, as the end of a sentence; undefined if there is none. */
function awaitedBy(
  { status, applicationVersion: version = names.version, queueName = '' }: WorkflowStatus,
  workers: readonly ClusterWorker[],
): string | undefined {
  if (!isQueued(status)) return undefined;
  const fitting = workers.filter((worker) => worker.version === version);
  if (version !== names.version && fitting.length === 0) return workerOf(version);
  const placement = placementOfQueue(queueName);
  return placement && awaited(placement, fitting);
}

function isQueued(status: string): boolean {
  return runStatuses[status] === 'queued';
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

/** Statuses of runs that have not ended, those included that DBOS gave up. */
const openStatuses: Parameters<DBOSClient['listWorkflows']>[0]['status'] = [
  'ENQUEUED',
  'DELAYED',
  'PENDING',
  'ERROR',
  'CANCELLED',
  'MAX_RECOVERY_ATTEMPTS_EXCEEDED',
];

/** Number of steps that are read at a time. */
const page = 500;

async function readBatches(
  client: DBOSClient,
  runId: string,
  from: number,
): Promise<{ readonly batches: readonly Batch[]; readonly next: number }> {
  const batches: Batch[] = [];
  let next = from;
  for (;;) {
    const steps = (await client.listWorkflowSteps(runId, { offset: next, limit: page })) ?? [];
    for (const { name, output } of steps)
      if (name === names.step && isBatch(output)) batches.push(batchOf(output));
    next += steps.length;
    if (steps.length < page) return { batches, next };
  }
}

function isSubmission(value: unknown): value is StoredSubmission {
  return typeof value === 'object' && value !== null && 'pipeline' in value && 'placement' in value;
}

function isEnd(value: unknown): value is RunEnd {
  return typeof value === 'object' && value !== null && 'status' in value && 'steps' in value;
}

function isBatch(value: unknown): value is StoredBatch {
  return typeof value === 'object' && value !== null && 'records' in value;
}
