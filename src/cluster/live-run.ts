import { messageOf } from '../handlers/error-category.js';
import type { Execution } from '../run/execution.js';
import type { AnswerReceipt } from '../run/questions/run-questions.js';
import type { FileSystem } from '../run-directory/file-system.js';
import { BatchLog } from './batch-log.js';
import type { Batch, DurableSteps, Receipt, RunMessage } from './durable-run.js';
import type { PrepareDrive, PreparedDrive } from './prepare-drive.js';
import { writeRunDirectory } from './run-cache.js';
import { handedOver, type RunHistory } from './run-history.js';

interface LiveRunOptions {
  readonly directory: string;
  readonly fileSystem: FileSystem;
  readonly prepare: PrepareDrive;
  readonly steps: Pick<DurableSteps, 'messageWaits'>;
}

/** Number of workers that may die one after the other where a run gets nowhere; then it waits for a person. */
const mostRecoveries = 3;

/**
 * A run on the worker that has it now: its driver, its directory, and the messages that it deals with. Nothing of it exists
 * while recorded steps are repeated.
 */
export class LiveRun {
  readonly #options: LiveRunOptions;
  readonly #history: RunHistory;
  readonly #log: BatchLog;
  #execution: Execution | undefined;
  /** The end of the drive under way; undefined if the run rests. */
  #driving: Promise<void> | undefined;
  /** Resolves when the drive under way has begun, or could not. */
  #begun: Promise<void> | undefined;
  /** Problem of this worker that stops the run. */
  #problem: string | undefined;
  readonly #acting = new Set<string>();
  #receipts: Receipt[] = [];
  #wake: () => void = () => undefined;
  #isLeaving = false;

  constructor(options: LiveRunOptions, history: RunHistory) {
    this.#options = options;
    this.#history = history;
    const { directory, fileSystem } = options;
    this.#log = new BatchLog(directory, fileSystem);
    writeRunDirectory(directory, history, fileSystem);
    if (history.rests) return;
    this.#drive((execution) => {
      if (history.recoveries < mostRecoveries) return;
      const reason = `${history.recoveries} workers have died here, one after the other, before the run got any further; resume it after you fix the cause`;
      execution.pause({ mode: 'now', reason });
    });
  }

  /** True if nothing is under way: the run waits for a message. */
  get isResting(): boolean {
    return this.#driving === undefined;
  }

  /**
   * Waits until there is something to be recorded.
   * @param messages that are not dealt with
   */
  async next(messages: readonly RunMessage[]): Promise<Batch> {
    for (const message of messages) this.#take(message);
    const listening = new AbortController();
    let receives: true | undefined;
    const waiting = this.#options.steps.messageWaits(listening.signal).then(
      () => {
        receives = true;
      },
      () => undefined,
    );
    while (receives === undefined && !this.#hasNews)
      await Promise.race([this.#log.recorded, this.#woken(), waiting]);
    listening.abort();
    const receipts = this.#receipts.length === 0 ? undefined : this.#receipts;
    const problem = this.#problem;
    this.#receipts = [];
    this.#problem = undefined;
    return { records: this.#log.take(), receipts, receives, problem };
  }

  get #hasNews(): boolean {
    return this.#log.hasRecords || this.#receipts.length > 0 || this.#problem !== undefined;
  }

  /** The last batch is durable. */
  kept(): void {
    this.#log.kept();
  }

  /** Waits until what the run leaves in its directory is complete, once it has ended. */
  async finished(): Promise<void> {
    await this.#driving;
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
    this.#isLeaving = true;
    this.#log.abandon(new Error('another worker has the run'));
    this.#execution?.pause({ mode: 'now', reason: 'another worker has the run' });
  }

  /** @param onStarted called before anything happens */
  #drive(onStarted: (execution: Execution) => void = () => undefined): void {
    let begun: () => void = () => undefined;
    this.#begun = new Promise((resolve) => {
      begun = resolve;
    });
    const driving = this.#driveToEnd((execution) => {
      this.#execution = execution;
      onStarted(execution);
      begun();
    })
      .catch((error: unknown) => messageOf(error))
      .then((problem) => {
        this.#execution = undefined;
        this.#driving = undefined;
        begun();
        if (!this.#isLeaving) this.#problem = problem;
        this.#wake();
      });
    this.#driving = driving;
  }

  /** @returns the problem that stops the run here */
  async #driveToEnd(onStarted: (execution: Execution) => void): Promise<string | undefined> {
    let prepared: PreparedDrive | undefined;
    try {
      prepared = await this.#options.prepare(this.#options.directory);
      if (this.#isLeaving) return undefined;
      const execution = prepared.start(this.#log.ofRun);
      onStarted(execution);
      const { status } = await execution.result;
      return status === 'invalid' ? notValidHere : undefined;
    } finally {
      await prepared?.close();
    }
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #take(message: RunMessage): void {
    const { id } = message;
    if (this.#acting.has(id)) return;
    this.#acting.add(id);
    this.#act(message)
      .catch((error: unknown) => messageOf(error))
      .then((refusal) => {
        this.#receipts.push({ id, refusal });
        this.#wake();
      });
  }

  /** @returns the reason why the message has no effect */
  async #act(message: RunMessage): Promise<string | undefined> {
    // A pause is recorded a moment before the driver has ended.
    if (this.#history.rests) await this.#driving;
    await this.#begun;
    const execution = this.#execution;
    switch (message.kind) {
      case 'resume':
        if (this.isResting && !this.#isLeaving) this.#drive();
        return undefined;
      case 'cancel':
        if (execution === undefined) this.#drive((begun) => begun.cancel());
        else execution.cancel();
        return undefined;
      case 'pause':
        execution?.pause(message);
        return undefined;
      case 'answer':
        return execution === undefined
          ? isPaused
          : answerRefusal(await execution.answer(message.question, message.answer));
      case 'steer':
        if (execution === undefined) return isPaused;
        await execution.steer(message.stage, message.text, message);
        return undefined;
    }
  }
}

const notValidHere = 'this version of attractor, or its plugins, finds errors in the pipeline';
const isPaused = 'the run is paused; resume it first';

function answerRefusal({ kind }: AnswerReceipt): string | undefined {
  if (kind === 'unfit') return 'the answer is not one of the choices';
  return kind === 'taken' ? undefined : 'no such question is open';
}
