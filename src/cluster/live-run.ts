import path from 'node:path';
import type { CompileOptions } from '../compiler/compile.js';
import type { Program } from '../graph/program.js';
import { messageOf } from '../handlers/error-category.js';
import type { ContinuedExecution } from '../run/execution.js';
import type { RecordedSettings } from '../run-directory/recorded-fields.js';
import { RunError, TakenOverError } from '../run-directory/run-error.js';
import { settingsOfData } from '../run-directory/settings-data.js';
import { isOver } from '../view/run-status.js';
import { BatchLog } from './batch-log.js';
import type { Batch, DurableSteps, Receipt, RunMessage } from './durable-run.js';
import { FileCollector, type FileWarning } from './files/collect-files.js';
import type { FileChange } from './files/file-change.js';
import { isAsking } from './is-asking.js';
import type { DrivePurpose, PrepareDrive, PreparedDrive } from './prepare-drive.js';
import { recordedViews } from './recorded-views.js';
import { answerRefusal, isMisfit, refusals } from './refusals.js';
import { handedOver } from './rests-as.js';
import { type ResumeMessage, resumptionOf } from './resumption.js';
import { type RunPlace, takeOverDirectory } from './run-cache.js';
import type { RunHistory } from './run-history.js';
import { SpreadStages } from './spread/spread-stages.js';
import type { StageQueue } from './spread/stage-queue.js';

interface LiveRunOptions extends RunPlace {
  readonly prepare: PrepareDrive;
  readonly steps: Pick<DurableSteps, 'messages' | 'forget'>;
  /** Queue of the stages that other workers may perform. */
  readonly stages?: StageQueue | undefined;
  /** Called with what makes the run slower, as a sentence. */
  readonly onProblem?: ((problem: string) => void) | undefined;
  /** Milliseconds for which the directory is left to another worker. */
  readonly leaseMs?: number | undefined;
  /** Milliseconds after which a run that only waits for a message may be released. */
  readonly releaseMs?: number | undefined;
  /** Messages that have woken a run which was released; undefined for any other. */
  readonly messages?: readonly RunMessage[] | undefined;
}

interface DriveMode {
  /** True if the run was released before. */
  readonly isWaking: boolean;
  readonly purpose: DrivePurpose;
}

/**
 * A run on the worker that has it now: its driver, its directory, and the messages that it deals with. Nothing of it exists
 * while recorded steps are repeated.
 */
export class LiveRun {
  readonly #options: LiveRunOptions;
  readonly #history: RunHistory;
  #log: BatchLog;
  /** Log of the batch that is being recorded. */
  #taken: BatchLog | undefined;
  readonly #collector: FileCollector;
  readonly #spread: SpreadStages | undefined;
  /** Warnings about files of the batch that is being recorded. */
  #warnings: readonly FileWarning[] = [];
  #execution: ContinuedExecution | undefined;
  /** The end of the drive under way; undefined if the run rests. */
  #driving: Promise<string | undefined> | undefined;
  /** Last event of the history when that drive began. */
  #drivenFrom = 0;
  /** Resolves when the drive under way has begun, or could not. */
  #begun: Promise<void> | undefined;
  /** Problem of this worker that stops the run. */
  #problem: string | undefined;
  /** Messages that have come since the last step. */
  readonly #inbox: RunMessage[];
  readonly #listening = new AbortController();
  readonly #listened: Promise<void>;
  readonly #acting = new Set<string>();
  /** The end of the latest answer to each question. */
  readonly #answered = new Map<string, Promise<string | undefined>>();
  /** Messages with a receipt. */
  readonly #settled = new Set<string>();
  /** Message that let the run continue, until the first record of that. */
  #resuming: ResumeMessage | undefined;
  #receipts: Receipt[] = [];
  #wake: () => void = () => undefined;
  /** Called when a step has proved that this worker has the run: of the step to come, and of the one that is being recorded. */
  #onProof: (() => void) | undefined;
  #proving: (() => void) | undefined;
  readonly #onExecution: ((execution: ContinuedExecution) => void)[] = [];
  #isLeaving = false;

  constructor(options: LiveRunOptions, history: RunHistory) {
    this.#options = options;
    this.#history = history;
    this.#inbox = [...(options.messages ?? [])];
    this.#log = this.#newLog();
    this.#collector = new FileCollector({
      ...options,
      tree: history.files,
      isChildRun: (place) => history.children.has(place),
    });
    const { stages: queue } = options;
    this.#spread = queue && new SpreadStages({ ...options, queue, history });
    if (history.rests) this.#spread?.stopLeft();
    this.#listened = this.#listen();
    if (history.rests || history.isOver) return;
    this.#drive(
      history.settings,
      (execution) => {
        const reason = history.verdict;
        if (reason !== undefined) execution.pause({ mode: 'now', reason });
      },
      { isWaking: options.messages !== undefined },
    );
  }

  /** Program of the run; undefined before it is driven here. */
  get program(): Program | undefined {
    return this.#log.programs.get('');
  }

  /** True if nothing is under way: the run waits for a message. */
  get isResting(): boolean {
    return this.#driving === undefined;
  }

  /**
   * Waits until there is something to be recorded, and stores the files that belong to it.
   * @returns undefined if the run only waits for a message, and has done so for a while: it may be released
   */
  async next(): Promise<Batch | undefined> {
    for (;;) {
      const batch = await this.#next();
      if (batch === 'releasable') return undefined;
      if (batch !== undefined) return batch;
    }
  }

  /** @returns undefined if the files could not be stored: the run stops, and says why */
  async #next(): Promise<Batch | 'releasable' | undefined> {
    if (!(await this.#hasSomething())) return 'releasable';
    const log = this.#log;
    const { records, places } = log.take();
    if (!this.#history.isContinuedBy(records)) {
      log.abandon(new TakenOverError(refusals.notContinued));
      return undefined;
    }
    let changes: readonly FileChange[];
    try {
      ({ changes, warnings: this.#warnings } = await this.#collector.collect(places));
    } catch (error) {
      // Of a run that is over, nothing depends on files any more.
      if (!this.#history.isOver || this.#resuming !== undefined) {
        log.abandon(new Error(`the files of the stages could not be stored: ${messageOf(error)}`));
        return undefined;
      }
      changes = [];
    }
    // The first record of a resumed run brings the receipt of the message.
    const resuming = records.length > 0 ? this.#resuming : undefined;
    const { directory, fileSystem } = this.#options;
    const resumed = resuming && resumptionOf(resuming, this.#history.run.manifest, directory, fileSystem);
    if (resuming !== undefined) this.#settle(resuming.id, undefined);
    this.#taken = log;
    this.#proving = this.#onProof;
    this.#onProof = undefined;
    const receipts = this.#receipts.length === 0 ? undefined : this.#receipts;
    const problem = this.#problem;
    this.#receipts = [];
    this.#problem = undefined;
    const files = changes.length === 0 ? undefined : changes;
    return { records, files, receipts, resumed, problem };
  }

  /** Waits until there is something to be recorded. @returns false if the run has only waited for a message for a while */
  async #hasSomething(): Promise<boolean> {
    const rest = { isDue: false };
    for (;;) {
      // Between two steps, so that the history is up to date.
      for (const message of this.#inbox.splice(0)) this.#take(message);
      if (this.#hasNews) return true;
      if (rest.isDue && this.#onlyWaits) return false;
      rest.isDue = false;
      const timer = setTimeout(() => {
        rest.isDue = true;
        this.#wake();
      }, this.#options.releaseMs ?? usualReleaseMs).unref(); // A worker that leaves must end.
      await Promise.race([this.#log.recorded, this.#woken()]);
      clearTimeout(timer);
    }
  }

  async #listen(): Promise<void> {
    const { signal } = this.#listening;
    try {
      for (;;) {
        this.#inbox.push(...(await this.#options.steps.messages(signal)));
        this.#wake();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** True if nothing happens before a message comes, and everything about the run is recorded. */
  get #onlyWaits(): boolean {
    if (this.#isLeaving || this.#inbox.length > 0 || this.#settled.size < this.#acting.size) return false;
    return this.#driving === undefined || this.#execution?.onlyAsks === true;
  }

  get #hasNews(): boolean {
    return (
      this.#log.hasRecords ||
      this.#receipts.length > 0 ||
      this.#problem !== undefined ||
      this.#onProof !== undefined
    );
  }

  /** The last batch is durable. */
  kept(): void {
    const warnings = this.#warnings;
    this.#warnings = [];
    this.#taken?.kept(warnings);
    this.#spread?.recorded();
    this.#proving?.();
    this.#proving = undefined;
  }

  /** Waits for another record, or for the end of all work. @returns false if there is no record */
  async hasMore(): Promise<boolean> {
    await Promise.race([this.#log.recorded, this.#driving]);
    return this.#log.hasRecords;
  }

  /** Waits until what the run leaves in its directory is complete, once it has ended. */
  async finished(): Promise<void> {
    this.#listening.abort();
    await this.#driving;
    this.#spread?.end();
  }

  /**
   * Lets another worker continue.
   * @param mode whether the running stages may end
   */
  leave(mode: 'after_stage' | 'now'): void {
    this.#isLeaving = true;
    this.#execution?.pause({ mode, reason: handedOver });
  }

  /** Ends all work at once and records nothing: another worker has the run. */
  abandon(): void {
    this.#end('another worker has the run');
  }

  /**
   * The same for a run that only waits; another object continues it here when a message comes.
   * @returns messages that have come meanwhile
   */
  async release(): Promise<readonly RunMessage[]> {
    this.#end('the run is released until a message comes');
    await Promise.all([this.#driving, this.#listened]);
    return this.#inbox;
  }

  #end(reason: string): void {
    this.#isLeaving = true;
    this.#listening.abort(new Error(reason));
    this.#log.abandon(new Error(reason));
    this.#spread?.close();
    this.#execution?.pause({ mode: 'now', reason });
    for (const goOn of [this.#onProof, this.#proving]) goOn?.();
  }

  /**
   * @param given settings of the call that has resumed the run
   * @param onStarted called before anything happens
   */
  #drive(
    given: RecordedSettings,
    onStarted: (execution: ContinuedExecution) => void = () => undefined,
    { isWaking = false, purpose = 'continue' }: Partial<DriveMode> = {},
  ): void {
    let begun: () => void = () => undefined;
    this.#begun = new Promise((resolve) => {
      begun = resolve;
    });
    this.#drivenFrom = this.#history.view.seq;
    let isRefused = false;
    const driving = this.#driveToEnd(
      given,
      (execution) => {
        this.#execution = execution;
        onStarted(execution);
        for (const start of this.#onExecution.splice(0)) start(execution);
        begun();
      },
      { isWaking, purpose },
    )
      .catch((error: unknown) => {
        // A call that does not fit the run leaves it as it was. The caller of a new fork may not wait for the receipt.
        isRefused = isMisfit(error) && this.#resuming !== undefined && !this.#history.isNewFork;
        return messageOf(error);
      })
      .then((problem) => {
        this.#execution = undefined;
        this.#driving = undefined;
        begun();
        if (!this.#isLeaving && !isRefused) this.#problem = problem;
        this.#wake();
        return problem;
      });
    this.#driving = driving;
  }

  /**
   * Drives the run, again in a directory made again if another worker has written to it.
   * @returns the problem that stops the run here
   */
  async #driveToEnd(
    given: RecordedSettings,
    onStarted: (execution: ContinuedExecution) => void,
    mode: DriveMode,
  ): Promise<string | undefined> {
    for (let drives = 1; ; drives += 1) {
      let problem: string;
      try {
        const settings = drives === 1 || this.#resuming !== undefined ? given : this.#history.settings;
        return await this.#driveOnce(settings, onStarted, mode);
      } catch (error) {
        if (drives === mostDrives || !isOfCache(error) || !this.#mayContinue) throw error;
        this.#execution = undefined;
        problem = messageOf(error);
      }
      await this.#proof();
      if (this.#isLeaving) return undefined;
      this.#options.onProblem?.(`its directory is made again: ${problem}`);
    }
  }

  /** @returns the problem that stops the run here */
  async #driveOnce(
    given: RecordedSettings,
    onStarted: (execution: ContinuedExecution) => void,
    { isWaking, purpose }: DriveMode,
  ): Promise<string | undefined> {
    const { directory } = this.#options;
    this.#log = this.#newLog();
    // What waits for a record waits for one of this log from now on.
    this.#wake();
    const cache = await takeOverDirectory(this.#options, this.#history, {
      patienceMs: this.#options.leaseMs,
      isWanted: () => !this.#isLeaving,
      prove: () => this.#proof(),
    });
    if (cache === undefined) return undefined;
    let prepared: PreparedDrive | undefined;
    // While the run is driven: it needs no journal on this machine.
    const isWritten = Promise.resolve(cache.end).then(noteNothing, (error: unknown) => {
      if (!this.#isLeaving)
        this.#options.onProblem?.(`its journal on this machine is not whole: ${messageOf(error)}`);
    });
    try {
      prepared = await this.#options.prepare(directory, given, purpose);
      this.#writeViewsOfChildren(prepared.compileOptions);
      if (this.#isLeaving) return undefined;
      const call = { durableLog: this.#log.ofRun, cache, isWaking, elsewhere: this.#spread?.ofRun };
      const execution = prepared.start(call);
      onStarted(execution);
      const { status } = await execution.result;
      return status === 'invalid' ? refusals.notValidHere : undefined;
    } finally {
      await prepared?.close();
      await isWritten;
      cache.lock.release();
    }
  }

  /** False for a run that leaves this worker, or has ended: it records nothing any more. */
  get #mayContinue(): boolean {
    return !this.#isLeaving && (!this.#history.isOver || this.#resuming !== undefined);
  }

  /** Waits until a step is recorded, even an empty one: the database refuses those of a worker that has lost the run. */
  #proof(): Promise<void> {
    return new Promise((resolve) => {
      this.#onProof = resolve;
      this.#wake();
    });
  }

  /** @returns the problem that keeps the run from continuing */
  async #resume(message: ResumeMessage): Promise<string | undefined> {
    const given = settingsOfData(message.settings ?? {});
    this.#resuming = message;
    this.#drive(given);
    return this.#driving;
  }

  /** @returns the problem that keeps the run from being cancelled */
  async #cancelResting(messageId: string): Promise<string | undefined> {
    const cancel = (execution: ContinuedExecution): void => {
      execution.cancel();
      // The first record brings the receipt.
      this.#settle(messageId, undefined);
    };
    this.#drive(this.#history.settings, cancel, { purpose: 'cancel' });
    return this.#driving;
  }

  #nextExecution(): Promise<ContinuedExecution> {
    return new Promise((resolve) => {
      this.#onExecution.push(resolve);
    });
  }

  /** Nobody continues a child that has ended, which would write them. */
  #writeViewsOfChildren(compileOptions: CompileOptions): void {
    const { directory, fileSystem } = this.#options;
    const views = recordedViews(fileSystem, compileOptions);
    for (const [place, { pipeline, view }] of this.#history.children)
      if (isOver(view.status)) views.write(path.join(directory, place), pipeline);
  }

  #newLog(): BatchLog {
    const { directory, fileSystem } = this.#options;
    // The answers of a new call begin with its first.
    return new BatchLog(
      directory,
      fileSystem,
      this.#resuming === undefined ? this.#history.answered : new Map(),
    );
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** The first answer to a question counts, also where it has to wait until that is asked again. */
  #answerInTurn(question: string, answer: string): Promise<string | undefined> {
    const earlier = this.#answered.get(question);
    const answered = (async () => {
      await earlier?.catch(() => undefined);
      // An answer to a paused run counts once it is resumed.
      return this.#answer(this.#execution ?? (await this.#nextExecution()), question, answer);
    })();
    this.#answered.set(question, answered);
    return answered;
  }

  async #answer(
    execution: ContinuedExecution,
    question: string,
    answer: string,
  ): Promise<string | undefined> {
    for (let waited = 0; ; waited += lookMs) {
      const receipt = await execution.answer(question, answer);
      const mayComeYet = receipt.kind === 'not_open' && this.#execution === execution && waited < askAgainMs;
      if (!mayComeYet || !isAsking(this.#history, question)) return answerRefusal(receipt);
      await new Promise((resolve) => setTimeout(resolve, lookMs));
    }
  }

  #take(message: RunMessage): void {
    const { id } = message;
    // A worker that has died may not have got round to it.
    if (this.#history.receipts.has(id)) return this.#options.steps.forget([id]);
    this.#acting.add(id);
    this.#act(message)
      .catch((error: unknown) => messageOf(error))
      .then((refusal) => this.#settle(id, refusal));
  }

  #settle(id: string, refusal: string | undefined): void {
    if (this.#settled.has(id)) return;
    this.#settled.add(id);
    if (this.#resuming?.id === id) this.#resuming = undefined;
    this.#receipts.push({ id, refusal });
    this.#wake();
  }

  /** @returns the reason why the message has no effect */
  async #act(message: RunMessage): Promise<string | undefined> {
    // A pause is recorded a moment before the driver has ended. A drive that was resumed from one has only begun.
    if (this.#history.rests && this.#history.view.seq > this.#drivenFrom) await this.#driving;
    await this.#begun;
    const { id } = message;
    const execution = this.#execution;
    const hasEnded = execution === undefined && this.#history.isOver;
    if (hasEnded && message.kind !== 'resume') return refusals.hasEnded;
    switch (message.kind) {
      case 'resume':
        if (this.isResting && !this.#isLeaving) return this.#resume(message);
        return Object.keys(message.settings ?? {}).length === 0 ? undefined : refusals.isRunning;
      case 'cancel':
        if (execution === undefined) return this.#cancelResting(id);
        execution.cancel();
        return undefined;
      case 'pause':
        execution?.pause(message);
        return undefined;
      case 'answer':
        return this.#answerInTurn(message.question, message.answer);
      case 'steer':
        if (execution === undefined) return refusals.isPaused;
        await execution.steer(message.stage, message.text, message);
        return undefined;
    }
  }
}

function noteNothing(): void {}

/** True for an error of the directory on this worker, which can be had again. */
function isOfCache(error: unknown): boolean {
  return error instanceof TakenOverError || (error instanceof RunError && error.code === 'run_damaged');
}

/** Drives of a run whose directory others write to, before it waits for a person. */
const mostDrives = 5;
const usualReleaseMs = 10_000;
/** Time that a run has for asking again what was open where it comes from. */
const askAgainMs = 60_000;
const lookMs = 50;
