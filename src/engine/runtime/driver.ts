import type { Program, ProgramNode } from '../../graph/program.js';
import { messageOf } from '../handlers/error-category.js';
import { decideDraft } from '../machine/decide.js';
import { type Draft, freeze, thaw } from '../machine/draft.js';
import type { Effect, ExecuteEffect } from '../machine/effect.js';
import type { RunEvent } from '../machine/event.js';
import type { InputBody } from '../machine/input.js';
import type { RunState } from '../machine/state.js';
import { checkpointOf } from './checkpoint.js';
import { CheckpointSchedule } from './checkpoint-schedule.js';
import type { DriverPorts } from './driver-ports.js';
import { EffectPerformer } from './effect-performer.js';
import { StatusFiles } from './status-files.js';

/**
 * Runs a program on this machine: performs the effects of the state machine and feeds their results back. An event is in
 * the journal before anything depends on it, and durable before a stage starts that does real work (DESIGN §4).
 */
export class Driver {
  /** Changed in place: it is this driver's own until the run is over. */
  readonly #draft: Draft;
  readonly #program: Program;
  readonly #ports: DriverPorts;
  readonly #checkpoints: CheckpointSchedule;
  readonly #statusFiles: StatusFiles;
  readonly #performer: EffectPerformer;
  #inputs: InputBody[] = [];
  #isStepping = false;
  #hasUnsyncedEvents = false;
  #observerFailed = false;
  #finish: { resolve: (state: RunState) => void; reject: (error: unknown) => void } | undefined;
  #error: { readonly cause: unknown } | undefined;

  constructor(program: Program, state: RunState, ports: DriverPorts) {
    this.#program = program;
    this.#draft = thaw(state);
    this.#ports = ports;
    this.#checkpoints = new CheckpointSchedule(ports.clock);
    this.#statusFiles = new StatusFiles(program, ports.store);
    this.#performer = new EffectPerformer(program, ports, {
      state: () => this.#draft,
      dispatch: (input) => this.dispatch(input),
      onIdle: () => this.#settleWhenIdle(),
      onBroken: (error) => this.#giveUp(error),
    });
  }

  /**
   * Feeds the first input and goes on until the run has ended or is paused.
   * @param asked what was asked for before the run could begin
   * @throws RunError `storage` when something could not be written; what was recorded until then is not lost
   */
  run(input: InputBody, asked: readonly InputBody[] = []): Promise<RunState> {
    return new Promise((resolve, reject) => {
      this.#finish = { resolve, reject };
      this.#inputs.push(input);
      for (const next of asked) this.#inputs.push(next);
      this.#work();
    });
  }

  /**
   * Feeds one input to the machine; late ones change nothing. What a handler or an observer says while a step is being
   * performed has its turn after it, so that events come in their order.
   */
  dispatch(input: InputBody): void {
    this.#inputs.push(input);
    if (!this.#isStepping) this.#work();
  }

  #work(): void {
    this.#isStepping = true;
    try {
      while (this.#inputs.length > 0) this.#stepAll();
    } catch (error) {
      this.#giveUp(error);
    }
    this.#isStepping = false;
    this.#settleWhenIdle();
  }

  /** Most of the time there is one input; whatever comes meanwhile has its turn in the next round. */
  #stepAll(): void {
    const inputs = this.#inputs;
    this.#inputs = [];
    for (const input of inputs) {
      if (this.#error !== undefined) return;
      this.#step(input);
    }
  }

  #step(input: InputBody): void {
    const { clock } = this.#ports;
    const { events, effects } = decideDraft(this.#program, this.#draft, {
      ...input,
      now: clock.now(),
      random: clock.random(),
    });
    if (events.length > 0) {
      this.#ports.store.appendEvents(events);
      this.#hasUnsyncedEvents = true;
      if (this.#mustSync(effects)) this.#sync();
      for (const event of events) this.#publish(event);
      this.#saveCheckpoint(events);
    }
    for (const effect of effects) this.#performer.perform(effect);
  }

  /** No-op stages in a row share one flush; anything that takes time or has consequences comes after one. */
  #mustSync(effects: readonly Effect[]): boolean {
    if (this.#draft.status !== 'running') return true;
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
    this.#ports.history?.add(event);
    this.#statusFiles.onEvent(event, this.#draft);
    try {
      this.#ports.onEvent?.(event);
    } catch (error) {
      if (this.#observerFailed) return;
      this.#observerFailed = true;
      const message = `an observer of the run threw: ${messageOf(error)}`;
      if (this.#draft.status === 'running') this.dispatch({ kind: 'log', level: 'warning', message });
    }
  }

  #saveCheckpoint(events: readonly RunEvent[]): void {
    const { store, clock, graphHash } = this.#ports;
    const isRunning = this.#draft.status === 'running';
    const isFirst = events[0]?.type === 'PipelineStarted' || events[0]?.type === 'PipelineResumed';
    if (isRunning && !isFirst && !this.#checkpoints.isDue(store.journalSize)) return;
    const settled = events.findLast((event) => 'outcome' in event);
    if (isRunning && !isFirst && settled === undefined) return;
    const startedAt = clock.now();
    // A view must not know more than the journal, whatever a power failure takes.
    if (this.#hasUnsyncedEvents) this.#sync();
    const size = store.writeCheckpoint(checkpointOf(this.#draft, graphHash, startedAt));
    this.#checkpoints.saved(store.journalSize, size, startedAt);
    if (isRunning && settled !== undefined && 'node_id' in settled && settled.node_id !== undefined) {
      this.#step({ kind: 'checkpoint_saved', nodeId: settled.node_id });
    }
  }

  #nodeNamed(nodeId: string): ProgramNode {
    const node = this.#program.nodes.get(nodeId);
    if (node === undefined) throw new Error(`the program has no node "${nodeId}"`);
    return node;
  }

  #giveUp(error: unknown): void {
    this.#error ??= { cause: error };
    this.#performer.stopAll(error);
  }

  /** The run is over for this process when nothing is under way any more and nothing will come. */
  #settleWhenIdle(): void {
    if (this.#isStepping || this.#performer.isBusy || this.#finish === undefined) return;
    if (this.#error === undefined && this.#draft.status === 'running') {
      this.#error = { cause: new Error('the run is not over, but nothing is under way') };
    }
    this.#performer.close();
    const { resolve, reject } = this.#finish;
    this.#finish = undefined;
    if (this.#error === undefined) resolve(freeze(this.#draft));
    else reject(this.#error.cause);
  }
}
