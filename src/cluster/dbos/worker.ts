import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import path from 'node:path';
import type { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor';
import { nodeFileSystem } from '../../run-directory/file-system.js';
import type { Submission } from '../durable-run.js';
import { hostRun } from '../host-run.js';
import type { LiveRun } from '../live-run.js';
import type { PrepareDrive } from '../prepare-drive.js';
import type { RunHistory } from '../run-history.js';
import { dbosSteps } from './dbos-steps.js';
import { Heartbeat } from './heartbeat.js';
import { channelOf, type MessageSource, MessageWatch } from './message-watch.js';
import { names } from './names.js';
import { openPool } from './open-pool.js';
import { migration } from './tables.js';

export interface WorkerOptions {
  /** URL of the database. */
  readonly database: string;
  /** Directory of the runs' files, which the workers share. */
  readonly home: string;
  /** Maximum number of runs at a time, those included that wait for a person. */
  readonly maxRuns: number;
  readonly labels: readonly string[];
  readonly prepare: PrepareDrive;
  say(message: string): void;
}

/** A worker in this process; there can be one. */
export interface Worker {
  readonly id: string;
  /** Resolves when the worker must end, because the others have taken it for dead. */
  readonly lost: Promise<void>;
  /**
   * Takes no more runs, and hands over those that it has.
   * @param graceMs for which running stages may continue
   */
  leave(graceMs: number): Promise<void>;
  /** Ends without handing anything over: the others have the runs already. */
  stop(): Promise<void>;
}

/** Maximum time for which the database holds a lock for a frozen worker (CLUSTER P3). */
const idleTransactionMs = 5000;
/** Milliseconds after which a worker looks at the queue again. */
const queueMs = 100;

/** Starts to execute the runs of a database (SEMANTICS 140, 141). */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { DBOS } = await import('@dbos-inc/dbos-sdk');
  const { database, home, maxRuns, labels, prepare, say } = options;
  const id = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const live = new Map<string, LiveRun>();
  let messages: MessageSource | undefined;
  const execute = async (submission: Submission): Promise<{ readonly status: string }> => {
    const { runId } = submission;
    if (messages === undefined) throw new Error('the worker has not started');
    const watch = new MessageWatch(runId, messages);
    const onLive = (run: LiveRun, history: RunHistory): void => {
      live.set(runId, run);
      if (history.view.seq > 0) say(`${runId} continues here, after its event ${history.view.seq}`);
    };
    try {
      await watch.look();
      const directory = path.join(home, runId);
      const place = { directory, fileSystem: nodeFileSystem, prepare, onLive };
      const { view } = await hostRun(submission, dbosSteps(DBOS, watch), place);
      return { status: view.status };
    } finally {
      watch.close();
      live.delete(runId);
    }
  };
  // A run is given up by its own rule, and not by the number of times that its workers were stopped.
  DBOS.registerWorkflow(execute, { name: names.workflow, maxRecoveryAttempts: 1_000_000 });
  DBOS.setConfig({
    name: names.application,
    systemDatabaseUrl: database,
    executorID: id,
    applicationVersion: names.version,
    logLevel: 'error',
    systemDatabasePoolSize: 20,
    systemDatabaseIdleTransactionTimeoutMs: idleTransactionMs,
  });
  await DBOS.launch();
  const executor = await executorOf();
  const pool = await openPool(database);
  await pool.query(migration);
  messages = messageSource(executor, pool);
  let lose: () => void = () => undefined;
  const lost = new Promise<void>((resolve) => {
    lose = resolve;
  });
  const heartbeat = await Heartbeat.start({
    pool,
    id,
    labels,
    maxRuns,
    runs: () => live.size,
    recover: async (workerId) => (await executor.recoverPendingWorkflows([workerId])).length,
    onRecovered: (workerId, runs) =>
      say(`worker ${workerId} is gone; its ${runs} runs went back to the queue`),
    onTakenForDead() {
      for (const run of live.values()) run.abandon();
      lose();
    },
    onProblem: (error) => say(`the database does not answer: ${String(error)}`),
  });
  await DBOS.registerQueue(names.queue, { minPollingIntervalMs: queueMs, workerConcurrency: maxRuns });
  const disconnect = async (): Promise<void> => {
    await pool.end();
    await DBOS.shutdown();
  };
  return {
    id,
    lost,
    async leave(graceMs) {
      await heartbeat.leaving();
      await executor.deactivateEventReceivers();
      for (const run of live.values()) run.leave('after_stage');
      const isIdle = (): boolean => [...live.values()].every(({ isResting }) => isResting);
      await until(isIdle, graceMs);
      for (const run of live.values()) run.leave('now');
      await until(isIdle, stopMs);
      await heartbeat.close();
      await disconnect();
    },
    async stop() {
      heartbeat.stop();
      await disconnect();
    },
  };
}

/** Time that stages have for stopping. */
const stopMs = 5000;
const lookMs = 20;

async function until(isDone: () => boolean, patienceMs: number): Promise<void> {
  const end = Date.now() + patienceMs;
  while (!isDone() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, lookMs));
}

/** The engine below the public functions, which know neither recovery that counts nor listening without receiving (CLUSTER P1, P4). */
async function executorOf(): Promise<DBOSExecutor> {
  const { DBOSExecutor: Executor } = await import('@dbos-inc/dbos-sdk/internal/dbos-executor');
  if (Executor.globalInstance === undefined) throw new Error('DBOS has not started');
  return Executor.globalInstance;
}

function messageSource(executor: DBOSExecutor, pool: Awaited<ReturnType<typeof openPool>>): MessageSource {
  const { notificationsMap } = executor.systemDatabase;
  return {
    listen(runId, onMessage) {
      const callback = notificationsMap.registerCallback(channelOf(runId), onMessage);
      return () => notificationsMap.deregisterCallback(callback);
    },
    async hasMessages(runId) {
      const { rowCount } = await pool.query(
        `select 1 from dbos.notifications where destination_uuid = $1 and topic = $2 and not consumed limit 1`,
        [runId, names.topic],
      );
      return rowCount !== 0;
    },
  };
}
