import { messageOf } from '../../handlers/error-category.js';
import type { ExecuteEffect } from '../../machine/effect.js';
import type { InputBody, ReportNumber } from '../../machine/input.js';
import type { AttemptElsewhere, BegunAttempt, StageOrder } from '../../run/elsewhere/stages-elsewhere.js';
import { oneAtATime } from '../files/one-at-a-time.js';
import { handedOver } from '../rests-as.js';
import type { RunPlace } from '../run-cache.js';
import type { RunHistory } from '../run-history.js';
import { isBefore, isLater, isQuestion, latestIn, numberOf } from './kept-reports.js';
import { writeLeftFiles } from './left-files.js';
import type {
  LeftFiles,
  StageQueue,
  StageReport,
  StageRequest,
  StoredArtifactChange,
} from './stage-queue.js';
import { attemptId, tryId } from './try-id.js';

export interface SpreadOptions extends RunPlace {
  readonly queue: StageQueue;
  readonly history: RunHistory;
}

interface Links {
  /** Resolves when attempts may begin. */
  readonly ready: Promise<void>;
  /**
   * Called with the id of each try, before it is in the queue.
   * @returns reports of it that have come
   */
  onTry(id: string, former: string | undefined): readonly StageReport[];
  /** Called when nobody waits for it any more. @param isOver true if nobody will begin it again */
  onEnd(id: string, isOver: boolean): void;
}

/** Milliseconds that a worker has to stop an attempt. */
const stopMs = 10_000;
/** Times that an attempt is put into the queue although it comes back without an end. */
const mostTries = 10;
/** Files and artifacts that a cancelled attempt leaves. */
const nothing: Pick<StageReport, 'files' | 'artifacts'> = {};

/** An attempt that another worker performs, and those after it with which it begins again. */
export class SpreadAttempt implements BegunAttempt {
  readonly ended: Promise<void>;
  readonly #options: SpreadOptions;
  readonly #place: string;
  readonly #attempt: AttemptElsewhere;
  readonly #links: Links;
  readonly #inOrder = oneAtATime();
  readonly #ordersInOrder = oneAtATime();
  #id: string | undefined;
  #isSubmitted = false;
  /** Orders for the worker that gets it. */
  #orders: StageOrder[] = [];
  #last: ReportNumber | undefined;
  /** True for a try that had come back without an outcome before it was begun again here. */
  #hadReturned = false;
  #stopped: 'paused' | 'cancelled' | undefined;
  #isWaiting = true;
  #onReturn: () => void = () => undefined;
  #end: () => void = () => undefined;

  constructor(options: SpreadOptions, place: string, attempt: AttemptElsewhere, links: Links) {
    this.#options = options;
    this.#place = place;
    this.#attempt = attempt;
    this.#links = links;
    this.ended = new Promise((resolve, reject) => {
      this.#end = resolve;
      queueMicrotask(() => {
        void this.#perform().catch((error: unknown) => {
          reject(error);
          this.#finish();
        });
      });
    });
    this.ended.catch(() => undefined);
  }

  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  tell(order: StageOrder): void {
    if (order.kind === 'abort' && order.reason === handedOver) return this.leave();
    if (order.kind === 'abort') {
      this.#stopped = order.why;
      setTimeout(() => this.#finish(), stopMs).unref();
    }
    // What holds for this try holds for the next one.
    if (!this.#isSubmitted || isLasting(order)) this.#orders.push(order);
    if (this.#isSubmitted) this.#send(order);
  }

  leave(): void {
    this.#finish();
  }

  /** The engine has given it up. */
  lose(problem: string): void {
    if (!this.#isWaiting) return;
    const { cursor, index, attempt, nodeId } = this.#attempt.effect;
    const reason = `the stage "${nodeId}" cannot be executed by another worker: ${problem}`;
    this.#attempt.dispatch({ kind: 'stage_suspended', cursor, index, attempt, reason });
    this.#finish();
  }

  receive(report: StageReport): void {
    void this.#inOrder(() => this.#accept(report)).catch((error: unknown) => this.lose(messageOf(error)));
  }

  async #perform(): Promise<void> {
    await this.#links.ready;
    let returns = 0;
    for (let number = 1; this.#isWaiting; number += 1) {
      const returned = new Promise<void>((resolve) => {
        this.#onReturn = resolve;
      });
      await this.#begin(number);
      if (this.#hadReturned) {
        if (this.#stopped !== undefined) this.#finish();
        continue;
      }
      await returned;
      returns += 1;
      if (returns >= mostTries) this.lose('it comes back each time without having been executed');
    }
  }

  /** Begins a try, or finds it again. */
  async #begin(number: number): Promise<void> {
    const { queue, history } = this.#options;
    const { effect, isBudgeted } = this.#attempt;
    const { runId } = history.submission;
    const former = this.#id;
    const id = this.#idOfTry(runId, effect, number);
    const request: StageRequest = { id, runId, place: this.#place, effect, isBudgeted };
    this.#id = id;
    this.#isSubmitted = false;
    this.#hadReturned = false;
    this.#last = history.reports.get(id);
    // What a report means depends on whether the try had ended.
    const submitted = this.#inOrder(async () => {
      this.#hadReturned = (await queue.submit(request)) === 'unsettled';
    });
    for (const report of this.#links.onTry(id, former)) this.receive(report);
    await submitted;
    // Those that came up to now count before the next try begins.
    if (this.#hadReturned) return this.#inOrder(async () => undefined);
    this.#isSubmitted = true;
    for (const order of this.#orders) this.#send(order);
    this.#orders = this.#orders.filter(isLasting);
  }

  #idOfTry(runId: string, { index, attempt }: ExecuteEffect, number: number): string {
    const child = this.#place === '' ? undefined : this.#attempt.runId;
    return tryId(attemptId(runId, child, index, attempt), number);
  }

  /** Orders arrive as they were given, but none holds up the one to stop. */
  #send(order: StageOrder): void {
    const id = this.#id;
    if (id === undefined) return;
    if (order.kind === 'abort') void this.#tell(id, order);
    else void this.#ordersInOrder(() => this.#tell(id, order));
  }

  async #tell(id: string, order: StageOrder): Promise<void> {
    const { queue } = this.#options;
    try {
      if (order.kind === 'abort' && (await queue.withdraw(id))) return this.#finish();
      await queue.tell(id, order);
    } catch (error) {
      this.lose(messageOf(error));
    }
  }

  async #accept(report: StageReport): Promise<void> {
    if (report.stage !== this.#id || !this.#isWaiting || isBefore(report, this.#last)) return;
    // Another try does its work again; what this one has spent counts.
    if (this.#hadReturned) return this.#dispatch(report, ({ kind }) => kind === 'stage_progress');
    const { inputs, steering, ending } = report;
    // The run does not wait for a stage that is cancelled: a later visit of it may be at work already.
    const { files, artifacts = [] } = this.#stopped === 'cancelled' ? nothing : report;
    if (steering !== undefined) this.#attempt.onReadiness(steering);
    if (files !== undefined) await writeLeftFiles(files, this.#options);
    // One that comes again, for its question, has artifacts that the run has had since then.
    if (artifacts.length > 0 && isLater(latestIn(report), this.#last)) await this.#store(artifacts);
    if (!this.#isWaiting) return;
    this.#dispatch(report);
    if (ending === undefined) return;
    // No outcome names them, of a run that is paused.
    if (ending === 'unsettled' && hasFiles(files)) await this.#attempt.keepFiles();
    const isSaid = inputs.some(({ kind }) => kind === 'stage_settled' || kind === 'stage_suspended');
    if (isSaid || this.#stopped !== undefined) this.#finish();
    else this.#onReturn();
  }

  #dispatch(report: StageReport, counts: (input: InputBody) => boolean = () => true): void {
    report.inputs.forEach((input, index) => {
      const number = numberOf(report, index);
      const isNew = isLater(number, this.#last);
      if (isNew) this.#last = number;
      // The machine knows a question again, also one that is answered: whoever asks waits for that.
      if (counts(input) && (isNew || isQuestion(input))) this.#attempt.dispatch({ ...input, report: number });
    });
  }

  async #store(changes: readonly StoredArtifactChange[]): Promise<void> {
    const { artifacts } = this.#attempt;
    const hashes = changes.flatMap((change) => (change.kind === 'store' ? [change.sha256] : []));
    const contents = await this.#options.store.get(hashes);
    for (const change of changes) {
      if (change.kind === 'clear') artifacts.clear();
      else if (change.kind === 'remove') artifacts.remove(change.id);
      else {
        const bytes = contents.get(change.sha256);
        if (bytes === undefined) throw new Error(`the artifact ${change.id} is not in the store`);
        artifacts.store(change.id, change.name, JSON.parse(Buffer.from(bytes).toString('utf8')));
      }
    }
  }

  #finish(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    if (this.#id !== undefined) this.#links.onEnd(this.#id, this.#stopped === 'cancelled');
    this.#onReturn();
    this.#end();
  }
}

function hasFiles(left: LeftFiles | undefined): boolean {
  return left !== undefined && left.files.length + left.removed.length > 0;
}

/** True for an order that holds as long as the attempt, whoever performs it. */
function isLasting({ kind }: StageOrder): boolean {
  return kind === 'budget_spent' || kind === 'request_pause';
}
