import type { RunEvent } from '../../machine/event.js';
import type { Execution } from '../../run/execution.js';
import type { PauseRequest } from '../../run/pause-request.js';
import type { WaitingQuestion } from '../../run/questions/run-questions.js';
import type { InvalidPipeline } from '../../run/run-options.js';
import { apply } from '../../view/fold/apply.js';
import type { RunView } from '../../view/fold/run-view.js';
import type { OverviewSource } from '../../view/run-overview.js';
import type { RunResult } from '../../view/run-result.js';
import { ProblemError } from '../problem-error.js';
import type { LaunchedRun, RunObservers } from './ready-run.js';

/** A run that this server is to execute. */
export interface OwnRunStart {
  readonly id: string;
  readonly directory: string;
  /** Facts about it before it has a manifest. */
  readonly manifest: OverviewSource['manifest'];
  /** View of its existing journal. */
  readonly view: RunView;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Makes it begin, or continue. */
  readonly launch: (ports: RunObservers) => Promise<LaunchedRun>;
  /** Called with every event of the run itself; never throws. */
  readonly onEvent: (event: RunEvent) => void;
  readonly onNotice: (message: string) => void;
  /** The manifest of a run that has begun. */
  readonly readManifest: () => OverviewSource['manifest'];
}

/** A run while this server executes it: its events are folded as they happen. */
export class OwnRun {
  readonly id: string;
  readonly directory: string;
  readonly view: RunView;
  /** Resolves with its first event, or with its end where it has none; rejects with what kept it from beginning. */
  readonly began: Promise<void>;
  /**
   * Result of the execution, once the run is over for this process and everything is closed; never rejects.
   */
  readonly end: Promise<OwnRunEnd>;
  /** Counter that grows with every change of the run's details. */
  version = 0;
  /** True if its stages have started runs that may be under way. */
  hasChildren = false;
  manifest: OverviewSource['manifest'];
  readonly #startedAt: number;
  readonly #given: OwnRunStart;
  readonly #launched: Promise<Execution | undefined>;
  #execution: Execution | undefined;
  #pausing: PauseRequest | undefined;
  #isCancelled = false;
  #hasBegun = false;
  #since: number;
  #setBegan: () => void = () => undefined;
  #setLaunched: (execution: Execution | undefined) => void = () => undefined;

  constructor(given: OwnRunStart) {
    this.#given = given;
    this.id = given.id;
    this.directory = given.directory;
    this.view = given.view;
    this.manifest = given.manifest;
    this.#startedAt = given.startedAt;
    // Whatever clock its journal was written by, it continues from now.
    this.#since = Math.max(given.startedAt, Date.parse(given.view.lastEventTime ?? '') + 1 || 0);
    this.#launched = new Promise((resolve) => {
      this.#setLaunched = resolve;
    });
    const first = new Promise<void>((resolve) => {
      this.#setBegan = resolve;
    });
    this.end = this.#conduct();
    this.began = Promise.race([first, this.end.then(rejectBroken)]);
    // Its starter gets the error, unless nobody waits.
    this.began.catch(() => undefined);
  }

  /** The process that executes it, as others see it. */
  get owner(): OverviewSource['owner'] {
    return { pid: process.pid, since: this.#since };
  }

  /** True if it has had an event since this server executes it. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Questions of the run, and of those that its stages have started, that wait for an answer. */
  get questions(): readonly WaitingQuestion[] {
    return this.#execution?.questions ?? [];
  }

  /** True if a request to it is not yet fulfilled. */
  isRequested(kind: 'pause' | 'cancel'): boolean {
    return kind === 'cancel' ? this.#isCancelled : this.#pausing !== undefined;
  }

  /** Execution for followers of its events; undefined if it could not begin. */
  execution(): Promise<Execution | undefined> {
    return this.#launched;
  }

  pause(request: PauseRequest): void {
    this.#pausing = request;
    this.version += 1;
    this.#execution?.pause(request);
  }

  cancel(): void {
    this.#isCancelled = true;
    this.version += 1;
    this.#execution?.cancel();
  }

  async #conduct(): Promise<OwnRunEnd> {
    let launched: LaunchedRun | undefined;
    let end: OwnRunEnd;
    try {
      launched = await this.#given.launch(this.#ports());
      this.#begin(launched.execution);
      end = { kind: 'ended', result: await launched.execution.result };
    } catch (error) {
      end = { kind: 'broken', error };
    }
    this.#setLaunched(undefined);
    try {
      await launched?.close();
    } catch (error) {
      this.#given.onNotice(`the resources of the run could not be closed: ${String(error)}`);
    }
    return end;
  }

  #begin(execution: Execution): void {
    this.#execution = execution;
    this.#setLaunched(execution);
    if (this.#pausing !== undefined) execution.pause(this.#pausing);
    if (this.#isCancelled) execution.cancel();
  }

  #ports(): RunObservers {
    return {
      onNotice: this.#given.onNotice,
      onEvent: (event) => this.#add(event),
      onChildEvent: () => {
        this.hasChildren = true;
        this.version += 1;
      },
    };
  }

  #add(event: RunEvent): void {
    // The clock of a simulation is not that of the machine.
    this.#since = Math.min(this.#startedAt, Date.parse(event.timestamp));
    if (event.seq > this.view.seq) apply(this.view, event);
    this.version += 1;
    if (this.view.status === 'paused') this.#pausing = undefined;
    if (!this.#hasBegun) this.manifest = this.#given.readManifest();
    this.#hasBegun = true;
    this.#setBegan();
    this.#given.onEvent(event);
  }
}

/** End of a run's execution. */
export type OwnRunEnd =
  | { readonly kind: 'ended'; readonly result: RunResult | InvalidPipeline }
  /** It could not begin, or something broke it off. */
  | { readonly kind: 'broken'; readonly error: unknown };

function rejectBroken(end: OwnRunEnd): void {
  if (end.kind === 'broken') throw end.error;
  if (end.result.status !== 'invalid') return;
  const [first] = end.result.diagnostics;
  throw new ProblemError(
    'invalid_pipeline',
    `the pipeline cannot be run: ${first?.message ?? 'it has errors'}`,
  );
}
