import type { Program } from '../graph/program.js';
import { messageOf } from '../handlers/error-category.js';
import type { Batch, DurableSteps, RecordedSegment, RunMessage, Submission } from './durable-run.js';
import { LiveRun } from './live-run.js';
import type { PrepareDrive } from './prepare-drive.js';
import type { RunPlace } from './run-cache.js';
import { type HistorySeed, inputsOf, RunHistory } from './run-history.js';
import { openSegment, type SegmentPlace, segmentInputs, storeSegment } from './segments.js';
import type { StageQueue } from './spread/stage-queue.js';
import { stopStages } from './spread/stop-stages.js';

/** Place of a run on a worker. */
export interface Host extends SegmentPlace, RunPlace {
  readonly prepare: PrepareDrive;
  /** Queue of the stages that other workers may perform. */
  readonly stages?: StageQueue | undefined;
  /** Milliseconds after which a run that only waits for a message is released. */
  readonly releaseMs?: number | undefined;
  /** Milliseconds for which the directory of the run is left to another worker. */
  readonly leaseMs?: number | undefined;
  /** Inputs after which a segment of the run ends. */
  readonly segmentInputs?: number | undefined;
  /** Called when the run is live here: recorded steps are repeated, and what follows is new. */
  readonly onLive?: ((run: LiveRun, history: RunHistory) => void) | undefined;
  /** Called when the run is released until a message comes, which makes it live again. */
  readonly onRelease?: (() => void) | undefined;
}

/**
 * Carries a run to its end in durable steps (SEMANTICS 140): each records what the machine was given and what it decided, so that
 * the log of the steps is the journal of the run. Any worker can repeat it and continue from there; effects are started only by the
 * one that continues.
 * @returns the history of the run, which is over
 * @throws whatever the engine throws when another worker has the run; nothing of it continues here then
 */
export async function hostRun(submission: Submission, steps: DurableSteps, host: Host): Promise<RunHistory> {
  const run = await HostedRun.begin(submission, steps, host);
  try {
    while (!run.history.isOver || (await isReopened(run.history, steps))) await run.step();
    // Children that end with their run do so after it.
    while (await run.hasMore()) await run.step();
  } catch (error) {
    run.abandon();
    throw error;
  }
  return run.finished();
}

/** What a worker has of a run in its memory: while the run only waits for a message, nothing. */
class HostedRun {
  readonly #submission: Submission;
  readonly #steps: DurableSteps;
  readonly #host: Host;
  #history: RunHistory | undefined;
  #live: LiveRun | undefined;

  /** Nobody else has the history: it would stay in memory. */
  static async begin(submission: Submission, steps: DurableSteps, host: Host): Promise<HostedRun> {
    const { history, after } = await beginningOf(submission, steps, host);
    if (after !== undefined) steps.beginAfter(after);
    return new HostedRun(history, steps, host);
  }

  private constructor(history: RunHistory, steps: DurableSteps, host: Host) {
    this.#submission = history.submission;
    this.#steps = steps;
    this.#host = host;
    this.#history = history;
  }

  get history(): RunHistory {
    if (this.#history === undefined) throw new Error('the run is released');
    return this.#history;
  }

  async #next(): Promise<Batch> {
    for (;;) {
      this.#live ??= this.#begin();
      const batch = await this.#live.next();
      if (batch !== undefined) return withEnd(batch, this.history, this.#host);
      const late = await this.#live.release();
      this.#live = undefined;
      this.#history = undefined;
      this.#host.onRelease?.();
      const messages = late.length > 0 ? late : await this.#steps.messages(new AbortController().signal);
      this.#history = await historyOf(this.#submission, this.#steps, this.#host);
      this.#live = this.#begin(messages);
    }
  }

  /** Waits until the run, which is over, has something more to be recorded here. @returns false if it has not */
  async hasMore(): Promise<boolean> {
    return (await this.#live?.hasMore()) ?? false;
  }

  /** @param messages that have woken the run */
  #begin(messages?: readonly RunMessage[]): LiveRun {
    const { history } = this;
    const live = new LiveRun({ ...this.#host, steps: this.#steps, messages }, history);
    this.#host.onLive?.(live, history);
    return live;
  }

  async step(): Promise<void> {
    const batch = await this.#steps.step(() => this.#next());
    this.#recorded(batch);
    if (batch.ends) await endSegment(this.history, this.#steps, this.#host, this.#live?.program);
  }

  #recorded(batch: Batch): void {
    this.history.add(batch);
    this.#live?.kept();
    // A repetition knows nothing of messages, and finds those again that wait.
    if (this.#live !== undefined && batch.receipts !== undefined)
      this.#steps.forget(batch.receipts.map(({ id }) => id));
  }

  abandon(): void {
    this.#live?.abandon();
  }

  async finished(): Promise<RunHistory> {
    await this.#live?.finished();
    const { stages, onProblem } = this.#host;
    await (stages && stopStages(stages, this.history))?.catch((error: unknown) =>
      onProblem?.(`its stages on other workers could not be stopped: ${messageOf(error)}`),
    );
    return this.history;
  }
}

/** History of a run so far, from its last segment on. */
export async function historyOf(
  submission: Submission,
  steps: Pick<DurableSteps, 'recorded' | 'latestSegment'>,
  host: SegmentPlace,
): Promise<RunHistory> {
  const { history, after } = await beginningOf(submission, steps, host);
  for (const batch of await steps.recorded(after)) history.add(batch);
  return history;
}

/** History as it was when the last segment ended that can be opened, or when the run began. */
async function beginningOf(
  submission: Submission,
  steps: Pick<DurableSteps, 'latestSegment'>,
  host: SegmentPlace,
): Promise<{ readonly history: RunHistory; readonly after?: RecordedSegment }> {
  const latest = await steps.latestSegment();
  const history = latest && (await openSegment(latest.segment, submission, host));
  return history === undefined ? { history: new RunHistory(submission) } : { history, after: latest };
}

/** Ends a segment with a batch if it has become long: what is repeated does not grow with the age of the run. */
function withEnd(batch: Batch, history: RunHistory, host: Host): Batch {
  const { segmentInputs: most = segmentInputs } = host;
  return history.inputs + inputsOf(batch) >= most ? { ...batch, ends: true } : batch;
}

async function endSegment(
  history: RunHistory,
  steps: DurableSteps,
  place: SegmentPlace,
  program: Program | undefined,
): Promise<void> {
  let seed: HistorySeed | undefined;
  await steps.endSegment(async () => {
    const stored = await storeSegment(history, place, program).catch((error: unknown) => {
      place.onProblem?.(`the end of a segment could not be stored: ${messageOf(error)}`);
      return undefined;
    });
    seed = stored?.seed;
    return stored?.segment;
  });
  if (seed !== undefined) history.forget(seed);
}

/**
 * True if a run that has ended continues: a person has resumed it, and it has not dealt with that. A repetition finds the same, because
 * messages stay.
 */
async function isReopened({ receipts }: RunHistory, steps: DurableSteps): Promise<boolean> {
  return (await steps.resumptions()).some((id) => !receipts.has(id));
}
