import { rmSync } from 'node:fs';
import path from 'node:path';
import type { DBOSClient, WorkflowStatus } from '@dbos-inc/dbos-sdk';
import { cacheFileSystem } from '../../run-directory/file-system.js';
import type { RecordedSettings } from '../../run-directory/recorded-fields.js';
import { sha256 } from '../../run-directory/sha256.js';
import type { FileStore } from '../files/file-store.js';
import { historyOf } from '../host-run.js';
import type { PreparedDrive, Submitter } from '../prepare-drive.js';
import type { RunHistory } from '../run-history.js';
import { HostedStage } from '../spread/host-stage.js';
import type { LeftFiles, StageEnding, StageRequest, StageStep, StageSteps } from '../spread/stage-queue.js';
import { stateAfter } from '../spread/stage-state.js';
import { triesBefore } from '../spread/try-id.js';
import { type StoredSubmission, submissionOf } from '../stored-batch.js';
import { recordedRun } from './dbos-steps.js';
import type { MessageWatch, MessageWatches } from './message-watch.js';
import { names } from './names.js';
import { patiently } from './patiently.js';
import { RecordedSteps } from './recorded-steps.js';
import { type OrderMessage, ordersOf } from './stage-queue.js';
import type { StepRecords } from './step-records.js';
import { checkRunId } from './tenants.js';

interface StageWorkerOptions {
  /** Directory of the stages of this worker. */
  readonly home: string;
  readonly engine: ConstructorParameters<typeof RecordedSteps>[2];
  readonly records: () => StepRecords;
  readonly client: () => DBOSClient;
  readonly messages: () => MessageWatches | undefined;
  prepare(directory: string, given: RecordedSettings, submitter: Submitter): Promise<PreparedDrive>;
  /** Called when the execution of a stage has begun. */
  onBegin(stage: string): void;
  storeOf(runId: string): FileStore;
  findTenant(user: string): Promise<string | undefined>;
}

/** Stages that a worker performs for runs that other workers, or it itself, drive. */
export class StageWorker {
  readonly #options: StageWorkerOptions;
  /** Ids of those that are executed, also before they are live. */
  readonly #begun = new Set<string>();
  readonly #live = new Map<string, HostedStage>();
  #isLeaving = false;

  constructor(options: StageWorkerOptions) {
    this.#options = options;
  }

  /** Number of stages that are executed. */
  get size(): number {
    return this.#begun.size;
  }

  /** True if no work of a stage is under way. */
  get isIdle(): boolean {
    return [...this.#begun].every((id) => this.#live.get(id)?.isResting);
  }

  /** Lets other workers begin its stages again. */
  leave(): void {
    this.#isLeaving = true;
    for (const stage of this.#live.values()) stage.leave();
  }

  /** Other workers have its stages. */
  abandon(): void {
    this.#isLeaving = true;
    for (const stage of this.#live.values()) stage.abandon();
  }

  /** Workflow of a stage. */
  async perform(request: StageRequest): Promise<StageEnding> {
    const { messages, onBegin, home } = this.#options;
    const { id } = request;
    const watches = messages();
    if (watches === undefined) throw new Error('the worker has not started');
    this.#begun.add(id);
    onBegin(id);
    const watch = watches.open<OrderMessage>(id, names.stageTopic);
    // Its own, because the worker may drive the run too, or perform other stages of it.
    const directory = path.join(home, sha256(id).slice(0, 16));
    let ending: StageEnding | undefined;
    try {
      ending = await this.#performIn(directory, request, watch);
    } finally {
      watch.close();
      this.#live.delete(id);
      this.#begun.delete(id);
      rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
    }
    if (ending !== undefined) return ending;
    // It goes back to the queue with everything that the worker has.
    if (this.#isLeaving) return new Promise(() => undefined);
    throw new Error('another worker has the stage');
  }

  async #performIn(
    directory: string,
    request: StageRequest,
    watch: MessageWatch<OrderMessage>,
  ): Promise<StageEnding | undefined> {
    const { id, runId } = request;
    const { history, user } = await this.#runOf(runId);
    const hosted = new HostedStage(request, await this.#steps(request, watch, history), {
      directory: path.join(directory, runId),
      fileSystem: cacheFileSystem,
      store: this.#options.storeOf(runId),
      prepare: async (place, given) =>
        this.#options.prepare(place, given, { tenant: await this.#options.findTenant(user), children: [] }),
    });
    this.#live.set(id, hosted);
    if (this.#isLeaving) hosted.leave();
    return hosted.perform();
  }

  async #runOf(
    runId: string,
  ): Promise<{ readonly history: () => Promise<RunHistory>; readonly user: string }> {
    const { client, records, engine, storeOf } = this.#options;
    const [found] = await client().listWorkflows({
      workflowIDs: [runId],
      loadInput: true,
      loadOutput: false,
    });
    const submission = submissionIn(found);
    if (submission === undefined) throw new Error(`the run ${runId} is not in the database`);
    checkRunId(submission.runId, runId);
    const recorded = recordedRun(new RecordedSteps(records(), runId, engine));
    return {
      history: () => historyOf(submission, recorded, { store: storeOf(runId) }),
      user: found?.authenticatedUser ?? '',
    };
  }

  /** Files that the first of these tries that has begun has left, or those before it. */
  async #leftBy(tries: readonly string[]): Promise<LeftFiles | undefined> {
    const { records, engine } = this.#options;
    for (const id of tries) {
      const recorded = await new RecordedSteps(records(), id, engine).since(names.stageBegins);
      const state = stateAfter(recorded.map(({ output }) => output as StageStep));
      if (state !== undefined) return state.left;
    }
    return undefined;
  }

  async #steps(
    { id, runId }: StageRequest,
    watch: MessageWatch<OrderMessage>,
    history: () => Promise<RunHistory>,
  ): Promise<StageSteps> {
    const { records, engine, client } = this.#options;
    const recorded = new RecordedSteps(records(), id, engine);
    const before = await recorded.since(names.stageBegins);
    const latest = before.at(-1);
    if (latest !== undefined) recorded.skip(latest.id);
    return {
      before: before.map(({ output }) => output as StageStep),
      leftByTriesBefore: () => this.#leftBy(triesBefore(id)),
      record: async (step) =>
        void (await recorded.step(step.kind === 'begun' ? names.stageBegins : names.stage, async () => step)),
      send: (report) => patiently(() => client().send(runId, report, names.stageTopic, report.id)),
      orders: async (signal) => ordersOf(await watch.next(signal)),
      history,
    };
  }
}

function submissionIn(found: WorkflowStatus | undefined): ReturnType<typeof submissionOf> | undefined {
  const [stored] = (found?.input ?? []) as readonly StoredSubmission[];
  return stored && submissionOf(stored);
}
