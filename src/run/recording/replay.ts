import path from 'node:path';
import { StageSuspension } from '../../handlers/handler.js';
import type { RunEvent } from '../../machine/event.js';
import type { FileSystem } from '../../run-directory/file-system.js';
import type { Exchange, ExchangeName, ExchangeRequest } from './exchange.js';
import type { RecordedRun } from './recorded-run.js';
import { type RecordedStop, recordedStop } from './recorded-stop.js';
import type { Attempt } from './recorder.js';
import type { ReplayWatch } from './replay-divergence.js';
import { type ReplayInterviewer, replayInterviewer } from './replay-interviewer.js';
import { ReplayOrder } from './replay-order.js';
import { requestDifference } from './request-difference.js';
import { withoutPlaces } from './run-places.js';
import { attemptKey, settledAttempts } from './settled-attempts.js';

/** Options of a replay. */
export interface ReplayOptions {
  readonly recorded: RecordedRun;
  readonly watch: ReplayWatch;
  /** Directory of the replaying run. */
  readonly directory: string;
  readonly workingDirectory: string;
  readonly fileSystem: FileSystem;
  /** Removes secrets, as in the recording. */
  readonly redact?: (text: string) => string;
}

/** Finds the recorded exchange for each one that a stage begins, and reports differences. */
export class Replay {
  readonly recorded: RecordedRun;
  readonly watch: ReplayWatch;
  readonly fileSystem: FileSystem;
  /** Directory of the replaying run. */
  readonly directory: string;
  readonly order: ReplayOrder;
  /** Answers that people gave then. */
  readonly interviewer: ReplayInterviewer;
  readonly #plain: (text: string) => string;
  readonly #calls = new Map<string, number>();
  readonly #settled = new Set<string>();
  readonly #pause = new AbortController();
  readonly #stop: RecordedStop | undefined;
  #restart = '';

  constructor(setting: ReplayOptions) {
    const { recorded, watch, directory, workingDirectory, fileSystem, redact = (text) => text } = setting;
    this.recorded = recorded;
    this.watch = watch;
    this.fileSystem = fileSystem;
    this.directory = directory;
    const inBranches = settledAttempts(recorded.events).filter(({ branch }) => branch !== undefined);
    this.order = new ReplayOrder(inBranches.map(attemptKey));
    this.interviewer = replayInterviewer(recorded.events);
    this.#stop = recordedStop(recorded.events);
    const normalize = withoutPlaces({
      runDirectories: [
        ...recorded.sessions.map(({ run_directory }) => run_directory),
        path.resolve(recorded.directory),
        path.resolve(directory),
      ],
      workingDirectories: [
        ...recorded.sessions.map(({ working_directory }) => working_directory),
        workingDirectory,
      ],
    });
    this.#plain = (text) => normalize(redact(text));
  }

  /**
   * Recorded exchange for the one that begins.
   * @throws ReplayDivergence if another was recorded, or none
   * @throws StageSuspension if the recorded run was stopped there, and did not continue
   */
  begin(attempt: Attempt, request: ExchangeRequest): Exchange {
    this.watch.check();
    const name = this.nameOf(attempt);
    const recorded = this.recorded.exchange(name);
    const isUnfinished = !this.recorded.hasSettled(name);
    const isGivenUp = this.recorded.wasGivenUp(attemptKey(name));
    const isRepeated = isGivenUp || this.#stop?.open.has(attemptKey(name)) === true;
    const isStopped = isUnfinished && wasStopped(recorded) && !isRepeated;
    if (recorded === undefined) {
      if (isUnfinished && this.#hasBegun(name)) throw stoppedHere(attempt.nodeId);
      if (isUnfinished && this.#isAtEnd()) throw new StageSuspension(this.#stop?.reason ?? '');
      throw this.#diverge(
        name,
        `asks for ${articleOf(request)}, which was not recorded:\n${textOf(request)}`,
      );
    }
    const difference = requestDifference(recorded, request, this.#plain);
    if (difference !== undefined) throw this.#diverge(name, `asks for ${difference}`);
    if (isStopped) throw stoppedHere(attempt.nodeId);
    return recorded;
  }

  /**
   * Recorded exchange for one that depends on time: undefined if there is none, and without comparing the
   * request.
   */
  beginLoosely(attempt: Attempt): Exchange | undefined {
    this.watch.check();
    return this.recorded.exchange(this.nameOf(attempt));
  }

  /** False for an attempt that ended without the exchange which is about to begin. */
  mayBegin(attempt: Attempt): boolean {
    const name = this.#nextName(attempt);
    return this.recorded.exchange(name) !== undefined || !this.recorded.hasSettled(name);
  }

  /** Error for an attempt that was stopped then, and is not stopped now. */
  notStopped({ node_id, visit, attempt, place }: Omit<ExchangeName, 'call'>): Error {
    const problem =
      'continues, although the recorded run stopped it here (it timed out, or its branch no longer mattered)';
    return this.#diverge({ node_id, visit, attempt, place }, problem);
  }

  /**
   * Call for an exchange that was stopped then, at that point.
   * @throws StageSuspension if the stop of the recorded run cannot be repeated
   */
  stopsIn(exchange: Exchange): void {
    if (this.recorded.hasSettled(exchange) || this.recorded.wasGivenUp(attemptKey(exchange))) return;
    if (this.#stop === undefined || this.#pause.signal.aborted) throw stoppedHere(exchange.node_id);
    this.#pause.abort({ mode: 'now', reason: this.#stop.reason });
  }

  /**
   * Call before an attempt without recorded exchanges has its outcome.
   * @throws StageSuspension if the recorded run was cut off in it
   */
  checkEnd(nodeId: string): void {
    if (this.#stop?.kind === 'cut_off' && this.#isAtEnd()) throw stoppedHere(nodeId);
  }

  /** Signal that pauses the run where the recorded one paused without a resume, or when the caller's does. */
  pauseSignalWith(callers: AbortSignal | undefined): AbortSignal {
    const { signal } = this.#pause;
    return callers === undefined ? signal : AbortSignal.any([signal, callers]);
  }

  /**
   * Call when an attempt is about to have its outcome.
   * @param key `attemptKey`
   */
  settles(key: string): void {
    this.#settled.add(key);
    if (key !== this.#stop?.key) return;
    this.#pause.abort({ mode: 'after_stage', reason: this.#stop.reason });
  }

  /**
   * Call with each event: stages without work, scripted ones and parallel ones have their outcomes by
   * themselves.
   */
  note(event: RunEvent): void {
    this.interviewer.note(event);
    if (event.type === 'LoopRestarted') this.#restart = event.directory;
    for (const attempt of settledAttempts([event])) {
      const key = attemptKey({ ...attempt, place: this.#restart });
      this.#settled.add(key);
      this.order.settled(key);
    }
  }

  /** @param attempt whose new exchange is numbered */
  nameOf(attempt: Attempt): ExchangeName {
    const name = this.#nextName(attempt);
    this.#calls.set(callsKey(name), name.call);
    return name;
  }

  #nextName({ nodeId, visit, attempt, logsRoot }: Attempt): ExchangeName {
    const name = { place: this.placeOf(logsRoot), node_id: nodeId, visit, attempt };
    return { ...name, call: (this.#calls.get(callsKey(name)) ?? 0) + 1 };
  }

  /** `restart-<n>`, or nothing. */
  placeOf(logsRoot: string): string {
    return path.relative(path.resolve(this.directory), path.resolve(logsRoot));
  }

  #diverge({ place, node_id, visit, attempt }: Omit<ExchangeName, 'call'>, problem: string): Error {
    const where = [`visit ${visit}`, `attempt ${attempt}`, ...(place === '' ? [] : [place])].join(', ');
    const divergence = this.watch.diverge(
      `the replay diverges from ${this.recorded.manifest.run_id}: "${node_id}" (${where}) ${problem}`,
    );
    this.order.open();
    return divergence;
  }

  /** True if the whole recording of a stopped run was played back. */
  #isAtEnd(): boolean {
    if (this.#stop === undefined) return false;
    return settledAttempts(this.recorded.events).every((attempt) => this.#settled.has(attemptKey(attempt)));
  }

  #hasBegun({ node_id, visit, attempt }: ExchangeName): boolean {
    return this.recorded.events.some(
      (event) =>
        event.type === 'StageStarted' &&
        event.node_id === node_id &&
        event.visit === visit &&
        event.attempt === attempt,
    );
  }
}

function callsKey({ place, node_id, visit, attempt }: Omit<ExchangeName, 'call'>): string {
  return JSON.stringify([place, node_id, visit, attempt]);
}

function wasStopped(exchange: Exchange | undefined): boolean {
  const reply = exchange?.reply;
  if (reply?.kind === 'tool_ended') return reply.end.stopped === true;
  return reply?.kind === 'threw' && reply.thrown.kind === 'stopped';
}

function stoppedHere(nodeId: string): StageSuspension {
  return new StageSuspension(`the recorded run was stopped in "${nodeId}" and was not resumed`);
}

function articleOf({ kind }: ExchangeRequest): string {
  switch (kind) {
    case 'backend':
      return 'an answer of a model or agent';
    case 'tool':
      return 'a tool';
    case 'handler':
      return 'the work of a handler';
  }
}

const requestShown = 600;

function textOf(request: ExchangeRequest): string {
  const text =
    request.kind === 'backend' ? request.prompt : request.kind === 'tool' ? request.command : request.type;
  return text.length > requestShown ? `${text.slice(0, requestShown)}…` : text;
}
