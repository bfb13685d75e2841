import path from 'node:path';
import type { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor';
import { cacheFileSystem } from '../../run-directory/file-system.js';
import type { RecordedSettings } from '../../run-directory/recorded-fields.js';
import { formatDuration } from '../../view/format-duration.js';
import type { Submission } from '../durable-run.js';
import type { FileStore } from '../files/file-store.js';
import { filesIn } from '../files/shared-directory.js';
import { hostRun } from '../host-run.js';
import type { LiveRun } from '../live-run.js';
import type { DrivePurpose, PrepareSubmitted } from '../prepare-drive.js';
import type { RunHistory } from '../run-history.js';
import { endOf, type RunEnd } from '../run-progress.js';
import { openStageHome } from '../spread/stage-home.js';
import type { StageQueue, StageRequest } from '../spread/stage-queue.js';
import { type StoredSubmission, submissionOf } from '../stored-batch.js';
import { Claims } from './claims.js';
import { databaseFiles } from './database-files.js';
import { dbosSteps } from './dbos-steps.js';
import { Heartbeat } from './heartbeat.js';
import { jsonSerializer } from './json-serializer.js';
import { type MessageWatch, MessageWatches } from './message-watch.js';
import { names, newWorkerId } from './names.js';
import { openPool } from './open-pool.js';
import { onLongWait, patiently } from './patiently.js';
import { ProviderPermits } from './provider-permits.js';
import { describePutBack } from './put-back.js';
import { mayTakeFrom, queueOf, queueSettings } from './queues.js';
import { quietLogger } from './quiet-logger.js';
import { RecordedSteps } from './recorded-steps.js';
import { sharedFiles } from './shared-files.js';
import { dbosStages } from './stage-queue.js';
import { StageWorker } from './stage-worker.js';
import { StepRecords } from './step-records.js';
import { deadSeconds } from './tables.js';
import { checkRunId, tenantOf } from './tenants.js';

export interface WorkerOptions {
  /** URL of the database. */
  readonly database: string;
  /** Directory for the directories of runs: what is there can be had again. */
  readonly home: string;
  /** Directory that all workers share, for the files of runs; undefined if those are in the database. */
  readonly files: string | undefined;
  /** Maximum number of runs at a time, those included that wait for a person. */
  readonly maxRuns: number;
  /** Maximum number of stages of spread runs at a time. */
  readonly maxStages: number;
  readonly labels: readonly string[];
  /** Name of the machine: workers with the same one share its files. */
  readonly name: string;
  readonly prepare: PrepareSubmitted;
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

/** Execution of a run. */
interface RunExecution {
  /** The run once its recorded steps are repeated; undefined also while it is released. */
  live: LiveRun | undefined;
}

/** Connections for the steps of runs. */
const connections = 20;
const permitConnections = 2;
/** Milliseconds that a question for a permit waits for a lock. */
const permitLockMs = 1000;

/** Starts to execute the runs of a database (SEMANTICS 140, 141). */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const opened: Closing[] = [];
  try {
    return await start(options, opened);
  } catch (error) {
    // Whatever stays open would keep this process.
    for (const close of opened.reverse()) await Promise.allSettled([(async () => close())()]);
    throw error;
  }
}

type Closing = () => unknown;

/** @param opened gets what closes each part that has started */
async function start(options: WorkerOptions, opened: Closing[]): Promise<Worker> {
  const { DBOS, DBOSClient } = await import('@dbos-inc/dbos-sdk');
  const engine = {
    ...(await import('@dbos-inc/dbos-sdk/internal/context')),
    ...(await import('@dbos-inc/dbos-sdk/internal/error')),
  };
  const { database, home, files, maxRuns, maxStages, labels, name, prepare, say } = options;
  const id = newWorkerId(name);
  /** Of a run that went back to the queue and was taken here again, there may be two: the first one has not noticed. */
  const executions = new Set<RunExecution>();
  const live = (): readonly LiveRun[] => [...executions].flatMap(({ live: run }) => run ?? []);
  let isLeaving = false;
  let messages: MessageWatches | undefined;
  let claims: Claims | undefined;
  const execute = async (stored: StoredSubmission): Promise<RunEnd> => {
    const submission = submissionOf(stored);
    const { runId, shared, placement } = submission;
    checkRunId(runId, DBOS.workflowID);
    const { authenticatedUser } = DBOS;
    if (messages === undefined) throw new Error('the worker has not started');
    const execution: RunExecution = { live: undefined };
    executions.add(execution);
    claims?.begun(runId);
    let watch: MessageWatch | undefined;
    let stages: StageQueue | undefined;
    let wasLive = false;
    const onLive = (run: LiveRun, history: RunHistory): void => {
      execution.live = run;
      if (isLeaving) run.leave('now');
      if (history.view.seq > 0 && !wasLive)
        say(`${runId} continues here, after its event ${history.view.seq}`);
      wasLive = true;
    };
    try {
      watch = messages.open(runId);
      const directory = path.join(home, runId);
      const findTenant = () => patiently(() => tenantOf(pool, authenticatedUser));
      stages = dbosStages({ client: () => client, pool: ofSteps, messages, runId, placement });
      const place = {
        directory,
        fileSystem: cacheFileSystem,
        store: storeOf(runId),
        sharedFiles: shared && sharedFiles({ pool: ofSteps, runs: shared.runs, findTenant, storeOf }),
        prepare: async (here: string, given: RecordedSettings, purpose: DrivePurpose) => {
          const submitter = { tenant: await findTenant(), children: childManifests(submission) };
          return prepare(here, given, submitter, permits, purpose);
        },
        stages,
        onProblem: (problem: string) => say(`${runId}: ${problem}`),
        onLive,
        onRelease: () => {
          execution.live = undefined;
        },
      };
      const recorded = new RecordedSteps(records, runId, engine);
      const { view } = await hostRun(submission, dbosSteps(watch, recorded), place);
      return endOf(view);
    } finally {
      watch?.close();
      stages?.close();
      executions.delete(execution);
    }
  };
  const stageHome = openStageHome(home, id);
  opened.push(() => stageHome.close());
  const stageWorker = new StageWorker({
    home: stageHome.directory,
    engine,
    records: () => records,
    client: () => client,
    messages: () => messages,
    prepare: (place, given, submitter) => prepare(place, given, submitter, permits, 'continue'),
    storeOf: (runId) => storeOf(runId),
    findTenant: (user) => patiently(() => tenantOf(pool, user)),
    onBegin: (stage) => claims?.begun(stage),
  });
  // Runs and stages are given up by their own rules, and not by the number of times that their workers were stopped.
  DBOS.registerWorkflow(execute, { name: names.workflow, maxRecoveryAttempts });
  DBOS.registerWorkflow((request: StageRequest) => stageWorker.perform(request), {
    name: names.stage,
    maxRecoveryAttempts,
  });
  const ofSteps = await openPool(database, connections);
  opened.push(() => ofSteps.end());
  const records = new StepRecords(ofSteps);
  const storeOf = (runId: string): FileStore => {
    const inDatabase = databaseFiles(ofSteps, runId);
    return files === undefined ? inDatabase : filesIn(files, runId, inDatabase);
  };
  const patience = { queryMs: deadSeconds * 1000 };
  const pool = await openPool(database, 3, patience);
  // Signs of life wait for nothing else.
  const ofBeats = await openPool(database, 1, patience);
  const ofPermits = await openPool(database, permitConnections, { ...patience, lockMs: permitLockMs });
  opened.push(() => Promise.all([pool, ofBeats, ofPermits].map((open) => open.end())));
  const permits = await ProviderPermits.start(ofPermits, id);
  opened.push(() => permits.close());
  const client = await DBOSClient.create({
    systemDatabaseUrl: database,
    systemDatabasePool: ofSteps,
    applicationName: names.application,
    logger: quietLogger,
    serializer: jsonSerializer,
  });
  opened.push(() => client.destroy());
  DBOS.setConfig({
    name: names.application,
    systemDatabaseUrl: database,
    systemDatabasePool: ofSteps,
    executorID: id,
    applicationVersion: names.version,
    logLevel: 'error',
    serializer: jsonSerializer,
    // That is for `attractor cluster migrate`, with more rights than a worker has.
    runMigrations: false,
  });
  opened.push(() => DBOS.shutdown());
  await DBOS.launch();
  const executor = await executorOf();
  // From here on, DBOS looks into the queues.
  let isReady = false;
  const claimed = new Claims(executor, {
    mayTakeFrom: (queue) => mayTakeFrom(queue, { labels, host: name }),
    room: (kind) => {
      if (!isReady) return 0;
      return kind === 'runs' ? maxRuns - executions.size : maxStages - stageWorker.size;
    },
  });
  claims = claimed;
  const watches = new MessageWatches(executor, pool);
  messages = watches;
  opened.push(() => watches.close());
  let lose: () => void = () => undefined;
  const lost = new Promise<void>((resolve) => {
    lose = resolve;
  });
  const heartbeat = await Heartbeat.start({
    pool,
    ofBeats,
    id,
    labels,
    maxRuns,
    maxStages,
    runs: () => executions.size,
    stages: () => stageWorker.size,
    isExecuted: (execution) =>
      executor.systemDatabase.checkForRunningWorkflow(execution) || claimed.isBeginning(execution),
    onRecovered(workerId, found) {
      const what = describePutBack(found);
      say(
        `worker ${workerId} is gone; ${what === undefined ? 'it had no runs' : `its ${what} went back to the queue`}`,
      );
    },
    onStranded(found) {
      const what = describePutBack(found);
      if (what !== undefined) say(`${what} stood still here, and went back to the queue`);
    },
    onStrangers: say,
    onTakenForDead() {
      for (const run of live()) run.abandon();
      stageWorker.abandon();
      lose();
    },
    onProblem: (error) => say(`the database does not answer: ${String(error)}`),
    onAnswer: (ms) => say(`the database answers again, after ${formatDuration(ms)}`),
  });
  opened.push(() => heartbeat.close());
  // What the signs of life have said already, it does not say again.
  const stopListening = onLongWait((problem) => {
    if (heartbeat.isSteady) say(`runs wait for the database: ${String(problem)}`);
  });
  for (const placement of [{ requires: [] }, { requires: [], host: name }])
    await DBOS.registerQueue(queueOf(placement), queueSettings);
  await DBOS.registerQueue(queueOf({ requires: [] }, 'stages'), queueSettings);
  isReady = true;
  const disconnect = async (): Promise<void> => {
    stopListening();
    watches.close();
    permits.close();
    await client.destroy();
    await DBOS.shutdown();
    await Promise.all([ofSteps, pool, ofBeats, ofPermits].map((open) => open.end()));
    stageHome.close();
  };
  return {
    id,
    lost,
    async leave(graceMs) {
      isLeaving = true;
      await heartbeat.leaving();
      await executor.deactivateEventReceivers();
      for (const run of live()) run.leave('after_stage');
      const isIdle = (): boolean => stageWorker.isIdle && live().every(({ isResting }) => isResting);
      await until(isIdle, graceMs);
      for (const run of live()) run.leave('now');
      stageWorker.leave();
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

/** Manifests of the child runs that a submission brings. */
function childManifests({ shared }: Submission): readonly string[] {
  return (shared?.batch.records ?? []).flatMap(({ files }) => (files === undefined ? [] : [files.manifest]));
}

/** None. */
const maxRecoveryAttempts = 1_000_000;
/** Time that stages have for stopping. */
const stopMs = 5000;
const lookMs = 20;

async function until(isDone: () => boolean, patienceMs: number): Promise<void> {
  const end = Date.now() + patienceMs;
  while (!isDone() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, lookMs));
}

/** The engine below the public functions, which know neither claims, nor what is executed, nor listening without receiving (CLUSTER P4). */
async function executorOf(): Promise<DBOSExecutor> {
  const { DBOSExecutor: Executor } = await import('@dbos-inc/dbos-sdk/internal/dbos-executor');
  if (Executor.globalInstance === undefined) throw new Error('DBOS has not started');
  return Executor.globalInstance;
}
