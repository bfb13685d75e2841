import { messageOf } from '../../handlers/error-category.js';
import type { RunEvent } from '../../machine/event.js';
import { systemClock } from '../../run/driver/clock.js';
import { readManifest } from '../../run-directory/manifest.js';
import { RunError } from '../../run-directory/run-error.js';
import { holdsRun } from '../../run-directory/run-files.js';
import { waitsForPeople } from '../../view/active-stages.js';
import { emptyView, type RunView } from '../../view/fold/run-view.js';
import type { OverviewSource } from '../../view/run-overview.js';
import { ProblemError } from '../problem-error.js';
import type { OwnRunStart } from './own-run.js';
import { OwnRun, type OwnRunEnd } from './own-run.js';
import { problemOf } from './problem-of.js';
import type { RunEnvironment, ServerRunLocation } from './ready-run.js';
import { RunQueue } from './run-queue.js';
import { readWaiting, removeWaiting, writeMark, writeWaiting } from './server-files.js';
import { BoundsWatch } from './watch-bounds.js';

/** A run that may be executed now, or when it is its turn. */
export interface Executable extends ServerRunLocation {
  readonly manifest: OverviewSource['manifest'];
  /** View of its existing journal. */
  readonly view?: RunView;
  readonly launch: OwnRunStart['launch'];
  /** Times in a row that a server ended while it executed the run. */
  readonly brokeOff?: number;
}

/** Milliseconds after which there may be space on the disk again. */
const anotherTryMs = 3000;

/** Reason of a pause when the server stops. */
export const serverStopped = 'the server was stopped';

/**
 * Executes runs in this process, as many at a time as the options allow; the others wait in their order. A
 * run that only waits for people takes no place, and continues at once when it is answered, for a while
 * beyond the limit. An error of a run affects no other: it is logged, and the journal keeps its progress.
 */
export class RunExecutor {
  readonly queue = new RunQueue();
  readonly #own = new Map<string, OwnRun>();
  /** Runs that only wait for people. */
  readonly #idle = new Set<string>();
  readonly #finished = new Map<string, Promise<void>>();
  readonly #environment: RunEnvironment;
  readonly #onFinish: (id: string) => void;
  readonly #listeners = new Set<(event: RunEvent) => void>();
  readonly #waitingForStart = new Map<string, Set<() => void>>();
  #isClosing = false;
  #again: NodeJS.Timeout | undefined;

  /** @param onFinish called when this process has released a run */
  constructor(environment: RunEnvironment, onFinish: (id: string) => void) {
    this.#environment = environment;
    this.#onFinish = onFinish;
  }

  /** Runs that it executes now. */
  get running(): readonly OwnRun[] {
    return [...this.#own.values()];
  }

  /** Number of those that only wait for people. */
  get waitingForPeople(): number {
    return this.#idle.size;
  }

  own(id: string): OwnRun | undefined {
    return this.#own.get(id);
  }

  /** @throws ProblemError `conflict` when the server is about to stop */
  checkOpen(): void {
    if (this.#isClosing) throw new ProblemError('conflict', 'the server is stopping and starts no runs');
  }

  /** True if a run may begin now without overtaking another. */
  get hasRoom(): boolean {
    return this.queue.length === 0 && this.#hasPlace;
  }

  /** However many wait for people, there are never more in memory than may run and wait for their turn. */
  get #hasPlace(): boolean {
    const { maxRunning, maxQueued } = this.#environment.options;
    return this.#own.size - this.#idle.size < maxRunning && this.#own.size < maxRunning + maxQueued;
  }

  /** Executes a run, whether there is room or not. @throws RunError `storage` where its directory cannot be written */
  begin({ id, directory, manifest, view = emptyView(), launch, brokeOff }: Executable): OwnRun {
    if (this.#own.has(id)) throw new Error(`the run ${id} is already being executed`);
    const { log, clock, options } = this.#environment;
    const now = clock?.now ?? Date.now;
    mark(directory, 'executing', brokeOff);
    const run = new OwnRun({
      id,
      directory,
      manifest,
      view,
      launch,
      startedAt: now(),
      onEvent: (event) => {
        this.#tell(event);
        this.#noteIdle(run);
        watch.look();
      },
      onNotice: (message) => log.write('info', message, { run: id }),
      readManifest: () => (holdsRun(directory) ? readManifest(directory) : manifest),
    });
    const watch = new BoundsWatch(run, options.bounds, clock ?? systemClock);
    this.#own.set(id, run);
    run.began.then(
      () => this.#removeWaiting(run),
      () => undefined,
    );
    this.#finished.set(
      id,
      run.end.then((end) => {
        watch.close();
        this.#finish(run, end);
      }),
    );
    for (const wake of this.#waitingForStart.get(id) ?? []) wake();
    return run;
  }

  /** Resolves when this process has released a run that it executes; at once for any other. */
  async untilFinished(id: string): Promise<void> {
    await this.#finished.get(id);
  }

  /** Calls back when this process begins to execute a run. @returns stops waiting */
  onStart(id: string, wake: () => void): () => void {
    const waiting = this.#waitingForStart.get(id) ?? new Set();
    this.#waitingForStart.set(id, waiting.add(wake));
    return () => {
      waiting.delete(wake);
      if (waiting.size === 0 && this.#waitingForStart.get(id) === waiting) this.#waitingForStart.delete(id);
    };
  }

  onRunEvent(listener: (event: RunEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Begins what may begin. A disk that is full is nothing that the runs in the queue could help: they wait for that too. */
  pump(): void {
    clearTimeout(this.#again);
    while (!this.#isClosing && this.#hasPlace) {
      const next = this.queue.take();
      if (next === undefined) return;
      try {
        next.begin();
      } catch (error) {
        this.#logError(next.id, 'the run could not start', error);
        if (!(error instanceof RunError) || error.code !== 'storage') continue;
        this.queue.putBack(next);
        this.#again = setTimeout(() => this.pump(), anotherTryMs).unref();
        return;
      }
    }
  }

  /** Pauses what runs, so that the next server resumes it. What waits, waits for that too. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#again);
    for (const run of this.running) {
      const isWanted = run.isRequested('pause') || run.isRequested('cancel');
      if (!isWanted) this.#markQuietly(run, 'stopped');
      run.pause({ mode: 'now', reason: serverStopped });
    }
    await Promise.all(this.#finished.values());
  }

  #finish(run: OwnRun, end: OwnRunEnd): void {
    const { id, directory } = run;
    this.#own.delete(id);
    this.#idle.delete(id);
    this.#finished.delete(id);
    try {
      if (end.kind === 'broken') this.#noteBroken(run, end.error);
      else if (!this.#isStopped(run, end)) mark(directory, 'released');
    } catch (error) {
      this.#logError(id, 'the result of the run could not be written', error);
    }
    this.#onFinish(id);
    this.pump();
  }

  #noteIdle({ id, view }: OwnRun): void {
    const wasIdle = this.#idle.has(id);
    const isIdle = waitsForPeople(view);
    if (isIdle === wasIdle) return;
    if (!isIdle) this.#idle.delete(id);
    else {
      this.#idle.add(id);
      // Later, so that the run with this event is not delayed.
      queueMicrotask(() => this.pump());
    }
  }

  #isStopped({ view }: OwnRun, end: OwnRunEnd): boolean {
    const isPaused = end.kind === 'ended' && end.result.status === 'paused';
    return this.#isClosing && isPaused && view.pausedReason === serverStopped;
  }

  /** One that never began, or did not continue, waits no longer: its directory says why. */
  #noteBroken({ id, directory, hasBegun }: OwnRun, error: unknown): void {
    if (hasBegun) this.#logError(id, 'the run was interrupted', error);
    else
      this.#logRefused(id, holdsRun(directory) ? 'the run did not resume' : 'the run did not start', error);
    const waiting = readWaiting(directory);
    const refused = messageOf(error);
    if (!holdsRun(directory)) {
      if (waiting?.kind === 'start') writeWaiting(directory, { ...waiting, refused });
    } else if (hasBegun) removeWaiting(directory);
    else {
      // A run that was cut off by the end of a server has no record.
      const resumption = waiting?.kind === 'resume' ? waiting.resumption : {};
      writeWaiting(directory, { kind: 'resume', order: 0, resumption, refused });
    }
  }

  #removeWaiting({ id, directory }: OwnRun): void {
    try {
      removeWaiting(directory);
    } catch (error) {
      this.#logError(id, 'the start of the queued run could not be recorded', error);
    }
  }

  #tell(event: RunEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#logError(event.run_id, 'a subscriber to events failed', error);
      }
    }
  }

  #markQuietly({ id, directory }: OwnRun, state: 'stopped'): void {
    try {
      mark(directory, state);
    } catch (error) {
      this.#logError(id, 'the resume request could not be recorded', error);
    }
  }

  /** Whoever asked for something impossible gets the reason as the answer; nothing is wrong with the server. */
  #logRefused(run: string, what: string, error: unknown): void {
    const problem = problemOf(error);
    if (!(problem instanceof ProblemError) || problem.code === 'storage') this.#logError(run, what, error);
    else this.#environment.log.write('warning', `${what}: ${problem.message}`, { run });
  }

  /** A stack says more where it is our own bug. */
  #logError(run: string, what: string, error: unknown): void {
    const isKnown = problemOf(error) instanceof ProblemError;
    const why = isKnown || !(error instanceof Error) ? messageOf(error) : (error.stack ?? error.message);
    this.#environment.log.write('error', `${what}: ${why}`, { run });
  }
}

function mark(...[directory, state, brokeOff]: Parameters<typeof writeMark>): void {
  try {
    writeMark(directory, state, brokeOff);
  } catch (error) {
    throw new RunError('storage', `${directory} cannot be written: ${messageOf(error)}`, { cause: error });
  }
}
