import type { Program, ProgramNode } from '../../graph/program.js';
import { messageOf } from '../handlers/error-category.js';
import type { Handler } from '../handlers/handler.js';
import { decide } from '../machine/decide.js';
import type { AskEffect, Effect, ExecuteEffect } from '../machine/effect.js';
import type { RunEvent } from '../machine/event.js';
import type { InputBody } from '../machine/input.js';
import type { Answer, Question } from '../machine/interview.js';
import type { RunState } from '../machine/state.js';
import { askQuestion } from './ask-question.js';
import { runAttempt, statusFile } from './attempt-runner.js';
import { checkpointOf } from './checkpoint.js';
import { CheckpointSchedule } from './checkpoint-schedule.js';
import type { Clock } from './clock.js';
import { createStage, type StageHost } from './create-stage.js';
import type { Interviewer } from './interviewer.js';
import { statusFileText } from './read-outcome.js';
import type { RunStore } from './run-store.js';

export interface DriverPorts {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly interviewer: Interviewer;
  /** The handler of one attempt. */
  readonly handlerOf: (node: ProgramNode, execution: number) => Handler;
  /** Called with every event once it is in the journal. */
  readonly onEvent: ((event: RunEvent) => void) | undefined;
  readonly workingDirectory: string;
  readonly graphHash: string;
}

const instantStagesInARow = 64;

/**
 * Runs a program on this machine: performs the effects of the state machine and feeds their results back. An event is in
 * the journal before anything depends on it, and durable before a stage starts that does real work (DESIGN §4).
 */
export class Driver {
  #state: RunState;
  readonly #program: Program;
  readonly #ports: DriverPorts;
  readonly #checkpoints: CheckpointSchedule;
  readonly #stageHost: StageHost;
  /** What runs for each cursor, so that it can be stopped. */
  readonly #controllers = new Map<string, AbortController>();
  readonly #instantStatuses = new Map<string, string>();
  readonly #openQuestions = new Map<string, (answer: Answer) => void>();
  readonly #inputs: InputBody[] = [];
  #isStepping = false;
  #performing = 0;
  #instantStages = 0;
  #hasUnsyncedEvents = false;
  #observerFailed = false;
  #finish: { resolve: (state: RunState) => void; reject: (error: unknown) => void } | undefined;
  #error: { readonly cause: unknown } | undefined;

  constructor(program: Program, state: RunState, ports: DriverPorts) {
    this.#program = program;
    this.#state = state;
    this.#ports = ports;
    this.#checkpoints = new CheckpointSchedule(ports.clock);
    this.#stageHost = {
      graph: program.graph,
      store: ports.store,
      clock: ports.clock,
      workingDirectory: ports.workingDirectory,
      log: (level, message, nodeId) => this.#log(level, message, nodeId),
      raise: (cursor, question, signal) => this.#raise(cursor, question, signal),
    };
  }

  get state(): RunState {
    return this.#state;
  }

  /**
   * Feeds the first input and goes on until the run has ended or is paused.
   * @throws RunError `storage` when something could not be written; what was recorded until then is not lost
   */
  run(input: InputBody): Promise<RunState> {
    return new Promise((resolve, reject) => {
      this.#finish = { resolve, reject };
      this.dispatch(input);
    });
  }

  /**
   * Feeds one input to the machine; late ones change nothing. What a handler or an observer says while a step is being
   * performed has its turn after it, so that events come in their order.
   */
  dispatch(input: InputBody): void {
    this.#inputs.push(input);
    if (this.#isStepping) return;
    this.#isStepping = true;
    try {
      for (let next = this.#inputs.shift(); next !== undefined; next = this.#inputs.shift()) {
        if (this.#error === undefined) this.#step(next);
      }
    } catch (error) {
      this.#giveUp(error);
    }
    this.#isStepping = false;
    this.#settleWhenIdle();
  }

  #step(input: InputBody): void {
    const { clock } = this.#ports;
    const decision = decide(this.#program, this.#state, {
      ...input,
      now: clock.now(),
      random: clock.random(),
    });
    this.#record(decision.events);
    this.#state = decision.state;
    if (this.#mustSync(decision.effects)) this.#sync();
    for (const event of decision.events) this.#publish(event);
    this.#saveCheckpoint(decision.events);
    for (const effect of decision.effects) this.#perform(effect);
  }

  #record(events: readonly RunEvent[]): void {
    if (events.length === 0) return;
    this.#ports.store.appendEvents(events);
    this.#hasUnsyncedEvents = true;
  }

  /** No-op stages in a row share one flush; anything that takes time or has consequences comes after one. */
  #mustSync(effects: readonly Effect[]): boolean {
    if (!this.#hasUnsyncedEvents) return false;
    if (this.#state.status !== 'running') return true;
    return effects.some((effect) => effect.kind !== 'execute' || !this.#isNoOp(effect));
  }

  #isNoOp({ nodeId, execution }: ExecuteEffect): boolean {
    const node = this.#nodeNamed(nodeId);
    return node.handler.instant || this.#ports.handlerOf(node, execution).isPretence === true;
  }

  #sync(): void {
    this.#ports.store.syncEvents();
    this.#hasUnsyncedEvents = false;
  }

  #publish(event: RunEvent): void {
    this.#writeStatusFile(event);
    try {
      this.#ports.onEvent?.(event);
    } catch (error) {
      if (this.#observerFailed) return;
      this.#observerFailed = true;
      this.#log('warning', `an observer of the run threw: ${messageOf(error)}`);
    }
  }

  /** A no-op stage says the same at every visit; its file is written when it says something new. */
  #writeStatusFile(event: RunEvent): void {
    if (event.type !== 'StageCompleted' && event.type !== 'StageFailed' && event.type !== 'StageSkipped')
      return;
    const { node_id: nodeId } = event;
    const text = statusFileText(event.outcome);
    if (this.#nodeNamed(nodeId).handler.instant) {
      if (this.#instantStatuses.get(nodeId) === text) return;
      this.#instantStatuses.set(nodeId, text);
    }
    this.#ports.store.writeStageFile(nodeId, statusFile, text);
  }

  #saveCheckpoint(events: readonly RunEvent[]): void {
    const { store, clock, graphHash } = this.#ports;
    const isRunning = this.#state.status === 'running';
    const settled = events.findLast((event) => 'outcome' in event);
    const isFirst = events[0]?.type === 'PipelineStarted' || events[0]?.type === 'PipelineResumed';
    const isDue = settled !== undefined && this.#checkpoints.isDue(store.journalSize);
    if (isRunning ? !isDue && !isFirst : events.length === 0) return;
    const startedAt = clock.now();
    // A view must not know more than the journal, whatever a power failure takes.
    if (this.#hasUnsyncedEvents) this.#sync();
    const size = store.writeCheckpoint(checkpointOf(this.#state, graphHash, startedAt));
    this.#checkpoints.saved(store.journalSize, size, startedAt);
    if (isRunning && settled !== undefined && 'node_id' in settled && settled.node_id !== undefined) {
      this.#step({ kind: 'checkpoint_saved', nodeId: settled.node_id });
    }
  }

  #perform(effect: Effect): void {
    switch (effect.kind) {
      case 'execute':
        return this.#start(effect.cursor, (controller) => this.#execute(effect, controller));
      case 'wait':
        return this.#start(effect.cursor, (controller) =>
          this.#wait(effect.cursor, effect.until, controller),
        );
      case 'ask':
        return this.#track(this.#ask(effect));
      case 'deliver':
        this.#openQuestions.get(effect.questionId)?.(effect.answer);
        this.#openQuestions.delete(effect.questionId);
        return;
      case 'abort':
        this.#controllers.get(effect.cursor)?.abort(new Error(effect.reason));
        return;
    }
  }

  #start(cursor: string, work: (controller: AbortController) => Promise<void>): void {
    const controller = new AbortController();
    this.#controllers.set(cursor, controller);
    this.#track(work(controller));
  }

  #track(work: Promise<void>): void {
    this.#performing += 1;
    work
      .catch((error: unknown) => this.#giveUp(error))
      .finally(() => {
        this.#performing -= 1;
        this.#settleWhenIdle();
      });
  }

  async #execute(effect: ExecuteEffect, controller: AbortController): Promise<void> {
    const node = this.#nodeNamed(effect.nodeId);
    const handler = this.#ports.handlerOf(node, effect.execution);
    const stage = createStage(this.#stageHost, this.#state, effect, node, controller);
    const { store, clock } = this.#ports;
    const outcome = await runAttempt(node, handler, stage, controller, store, clock);
    if (node.handler.instant) await this.#breathe();
    this.dispatch({ kind: 'stage_settled', cursor: effect.cursor, outcome });
  }

  /** Lets timers and signals have their turn in a loop of stages that do nothing and wait for nothing. */
  async #breathe(): Promise<void> {
    this.#instantStages += 1;
    if (this.#instantStages % instantStagesInARow === 0)
      await new Promise((resolve) => setImmediate(resolve));
  }

  async #wait(cursor: string, until: number, controller: AbortController): Promise<void> {
    const { clock } = this.#ports;
    try {
      await clock.sleep(Math.max(0, until - clock.now()), controller.signal);
    } catch {
      return; // Stopped: the journal knows until when to wait.
    }
    this.dispatch({ kind: 'timer_fired', cursor });
  }

  async #ask({ cursor, question }: AskEffect): Promise<void> {
    const { clock, interviewer } = this.#ports;
    const controller = this.#controllers.get(cursor) ?? new AbortController();
    this.#controllers.set(cursor, controller);
    const { id: questionId, stage } = question;
    const reply = await askQuestion(question, interviewer, clock, controller.signal, (message) =>
      this.#log('warning', message, stage),
    );
    if (controller.signal.aborted) return;
    if (reply === undefined) this.dispatch({ kind: 'unanswered', cursor, questionId });
    else if (reply === 'timed out') {
      this.dispatch({ kind: 'answered', cursor, questionId, answer: { value: 'TIMEOUT' }, timedOut: true });
    } else this.dispatch({ kind: 'answered', cursor, questionId, answer: reply });
  }

  #raise(cursor: string, question: Question, signal: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      this.#openQuestions.set(question.id, resolve);
      this.dispatch({ kind: 'question_raised', cursor, question });
    });
  }

  #log(level: 'info' | 'warning', message: string, nodeId?: string): void {
    if (this.#state.status !== 'running') return;
    this.dispatch({ kind: 'log', level, message, ...(nodeId !== undefined && { nodeId }) });
  }

  #nodeNamed(nodeId: string): ProgramNode {
    const node = this.#program.nodes.get(nodeId);
    if (node === undefined) throw new Error(`the program has no node "${nodeId}"`);
    return node;
  }

  #giveUp(error: unknown): void {
    this.#error ??= { cause: error };
    for (const controller of this.#controllers.values()) controller.abort(error);
  }

  /** The run is over for this process when nothing is under way any more and nothing will come. */
  #settleWhenIdle(): void {
    if (this.#performing > 0 || this.#finish === undefined) return;
    if (this.#error === undefined && this.#state.status === 'running') {
      this.#error = { cause: new Error('the run is not over, but nothing is under way') };
    }
    const { resolve, reject } = this.#finish;
    this.#finish = undefined;
    if (this.#error === undefined) resolve(this.#state);
    else reject(this.#error.cause);
  }
}
