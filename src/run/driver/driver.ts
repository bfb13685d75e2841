import { deepFreeze } from '../../graph/deep-freeze.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import { messageOf } from '../../handlers/error-category.js';
import { decideDraft } from '../../machine/decide.js';
import { type Draft, freeze, thaw } from '../../machine/draft.js';
import type { Effect } from '../../machine/effect.js';
import type { RunEvent } from '../../machine/event.js';
import type { Input, InputBody, ReportedInput } from '../../machine/input.js';
import { mainCursor, type RunState } from '../../machine/state.js';
import { boundedText } from '../../run-directory/bounded-text.js';
import { checkpointOf } from '../../run-directory/checkpoint.js';
import type { EventLog } from '../../run-directory/run-store.js';
import { stagePath } from '../../run-directory/stage-path.js';
import { noRedactor } from '../../secrets/redactor.js';
import type { AskingMachine } from '../questions/run-questions.js';
import { CheckpointSchedule } from './checkpoint-schedule.js';
import { holding } from './clock.js';
import type { DriverPorts } from './driver-ports.js';
import { isDecisive, leavesFiles, RecordBuffer } from './durable-log.js';
import { EffectPerformer } from './effect-performer.js';
import { ParallelResults } from './parallel-results.js';
import { countRun, runsAtOnce } from './runs-at-once.js';
import type { StageWords } from './stage-words.js';
import { StatusFiles } from './status-files.js';

/** Maximum of events of no-op stages that are decided before they are written. */
const writtenTogether = 128;

/**
 * Runs a program on this machine: performs the effects of the state machine and feeds their results back.
 * An event is in the journal before anything depends on it, and durable before a stage starts that does
 * real work (DESIGN §4). No-op stages share a write; if branches do real work at the same time, they share
 * a flush.
 */
export class Driver {
  /** Changed in place: it belongs to this driver until the run is over. */
  readonly #draft: Draft;
  readonly #program: Program;
  readonly #ports: DriverPorts;
  readonly #checkpoints: CheckpointSchedule;
  readonly #statusFiles: StatusFiles;
  readonly #parallelResults: ParallelResults;
  readonly #performer: EffectPerformer;
  readonly #outbox: EventOutbox;
  /** History that the durable log does not have yet, in a run with one. */
  readonly #unkept = new RecordBuffer();
  /** Those who wait until the durable log has the files of their stage. */
  #waitForFiles: Waiter[] = [];
  #inputs: (InputBody & ReportedInput)[] = [];
  #isStepping = false;
  /** Effects to be performed when the events before them are in the journal, and durable if necessary. */
  #effects: Effect[] = [];
  /** True during a flush; later decisions wait for the next one. */
  #isCommitting = false;
  #observerFailed = false;
  #finish: { resolve: (state: RunState) => void; reject: (error: unknown) => void } | undefined;
  #error: { readonly cause: unknown } | undefined;

  constructor(program: Program, state: RunState, ports: DriverPorts) {
    this.#program = program;
    this.#draft = thaw(state);
    this.#ports = ports;
    this.#checkpoints = new CheckpointSchedule(ports.clock, runsAtOnce);
    this.#statusFiles = new StatusFiles(program, ports.store.statuses);
    this.#parallelResults = new ParallelResults(program, state);
    this.#outbox = new EventOutbox(ports.store.journal);
    this.#performer = new EffectPerformer(program, ports, {
      state: () => this.#draft,
      dispatch: (input) => this.dispatch(input),
      flush: () => this.#flush(),
      keepFiles: (stage) => this.#keepFiles(stage),
      beforeTurn: () => this.#tell(),
      onIdle: () => this.#settleWhenIdle(),
      onBroken: (error) => this.#giveUp(error),
    });
  }

  /**
   * Feeds the first input and continues until the run has ended or is paused.
   * @param asked requests from before the run could begin
   * @throws RunError `storage` when something could not be written; earlier records are not lost
   */
  run(input: InputBody, asked: readonly InputBody[] = []): Promise<RunState> {
    const uncount = countRun();
    return new Promise<RunState>((resolve, reject) => {
      this.#finish = { resolve, reject };
      this.#inputs.push(input, ...asked);
      this.#work();
    }).finally(uncount);
  }

  /** Questions of the run, for answers that come from elsewhere. */
  get questions(): AskingMachine {
    return this.#performer.questions;
  }

  /** Words of people to its running stages. */
  get words(): StageWords {
    return this.#performer.words;
  }

  /**
   * Feeds one input to the machine; late ones change nothing. Inputs of a handler or an observer during a
   * step are handled after it, so that events come in their order.
   */
  dispatch(input: InputBody & ReportedInput): void {
    this.#inputs.push(input);
    if (!this.#isStepping) this.#work();
  }

  /** Ends the run for this process at once, and writes nothing more of it: nothing in the journal is lost. */
  stop(error: unknown): void {
    this.#giveUp(error);
    this.#settleWhenIdle();
  }

  /**
   * Performs an action, and then everything that follows at once from it and from the inputs that came with
   * it.
   */
  #work(first: () => void = () => undefined): void {
    this.#isStepping = true;
    try {
      first();
      while (this.#inputs.length > 0) this.#stepAll();
    } catch (error) {
      this.#giveUp(error);
    }
    this.#isStepping = false;
    this.#settleWhenIdle();
  }

  /** Handles inputs in rounds: usually there is one; those that come meanwhile are in the next round. */
  #stepAll(): void {
    const inputs = this.#inputs;
    this.#inputs = [];
    for (const input of inputs) {
      if (this.#error !== undefined) return;
      this.#step(input);
    }
  }

  #step(body: InputBody & ReportedInput): void {
    const { clock } = this.#ports;
    // The clock of the system may be set back, also while no process runs the run; its own time never goes
    // back.
    const now = Math.max(clock.now(), this.#draft.lastEventAt);
    // With a spread instead, a million steps were measured to need some 120 MB more.
    const input: Input = Object.assign({ now, random: clock.random() }, body);
    const mayWait = this.#ports.durableLog === undefined || this.#mayWait(input);
    const { events, effects } = decideDraft(this.#program, this.#draft, input, this.#note);
    // One that came too late changes nothing; and that this process has released the run is not history.
    const counts = events.length + effects.length > 0 && input.kind !== 'wake';
    if (this.#ports.durableLog !== undefined && counts) this.#unkept.addInput(input, !mayWait);
    for (const effect of effects) this.#effects.push(effect);
    this.#commit(events.length > 0, effects);
  }

  readonly #note = (event: RunEvent, state: RunState): void => {
    this.#statusFiles.note(event, state);
    this.#parallelResults.note(event, state);
    this.#outbox.add(event);
    if (this.#ports.durableLog === undefined) return;
    this.#unkept.addEvent(event);
    if (leavesFiles(event))
      this.#unkept.addStage(stagePath(this.#program, state, event.branch ?? mainCursor, event.node_id));
  };

  /** Writes and flushes as much as the effects need, and performs them. */
  #commit(isNews: boolean, effects: readonly Effect[]): void {
    if (this.#isCommitting) return this.#outbox.write();
    if (this.#ports.durableLog !== undefined) return this.#commitToLog(effects);
    const isRunning = this.#draft.status === 'running';
    if (isRunning && this.#checkpoints.isSparing && effects.length > 0 && this.#areInstant(effects)) {
      if (this.#outbox.unwritten >= writtenTogether) this.#tell();
      return this.#performAll();
    }
    if ((!isNews && effects.length === 0) || !this.#mustSync(effects)) this.#outbox.write();
    else if (isRunning && this.#outbox.isUnsafe && this.#mayShareFlush(effects))
      return this.#commitTogether(this.#outbox.writeSoon());
    else this.#outbox.writeDurably();
    this.#tell();
    this.#performAll();
  }

  /** Keeps in the log what an effect depends on, and what must not be lost; the rest goes with the next record. */
  #commitToLog(effects: readonly Effect[]): void {
    const { durableLog, clock } = this.#ports;
    const isOver = this.#draft.status !== 'running';
    // A no-op stage needs nothing: what it comes to goes along.
    if (!isOver && effects.length > 0 && this.#areInstant(effects)) return this.#performAll();
    this.#outbox.write();
    const mustKeep = isOver || this.#unkept.isDue || this.#mustSync(effects);
    if (durableLog !== undefined && mustKeep && !this.#unkept.isEmpty) {
      const { record, stages } = this.#unkept.take();
      const warnings: string[] = [];
      const kept = durableLog.keep(record, stages).then((found) => void warnings.push(...found));
      return this.#commitTogether(holding(clock, kept), warnings);
    }
    this.#tell();
    this.#performAll();
  }

  /** Resolves when the durable log, if the run has one, has the files of a stage as they are now. */
  async #keepFiles(stage: string): Promise<void> {
    if (this.#ports.durableLog === undefined) return;
    this.#unkept.addStage(stage, true);
    const isKept = new Promise<void>((resolve, reject) => this.#waitForFiles.push({ resolve, reject }));
    // A stage may call this in the middle of a step.
    queueMicrotask(() => this.#work(() => this.#commit(false, [])));
    return isKept;
  }

  /** True if an input need not be durable before its stage is repeated: it tells progress, or its stage does nothing. */
  #mayWait(input: Input): boolean {
    if (!isDecisive(input)) return true;
    if (input.kind !== 'stage_settled') return false;
    const nodeId = this.#draft.cursors.get(input.cursor)?.nodeId;
    return nodeId !== undefined && this.#nodeNamed(nodeId).handler.instant;
  }

  /**
   * Waits until events are durable while other branches work: they continue meanwhile, and their events
   * share the next flush.
   * @param warnings that there are by then
   */
  #commitTogether(written: Promise<void>, warnings: readonly string[] = []): void {
    this.#isCommitting = true;
    const effects = this.#effects;
    this.#effects = [];
    const waiting = this.#waitForFiles;
    this.#waitForFiles = [];
    const events = this.#outbox.takeUntold();
    written.then(
      () => {
        for (const { resolve } of waiting) resolve();
        this.#committed(events, effects, warnings);
      },
      (error: unknown) => {
        for (const { reject } of waiting) reject(error);
        this.#isCommitting = false;
        this.#work(() => this.#giveUp(error));
      },
    );
  }

  #committed(events: readonly RunEvent[], effects: readonly Effect[], warnings: readonly string[]): void {
    this.#isCommitting = false;
    this.#work(() => {
      if (this.#error !== undefined) return;
      this.#publishAll(events);
      if (this.#draft.status === 'running')
        for (const message of warnings)
          this.#inputs.push({ kind: 'log', level: 'warning', message: boundedText(message) });
      for (const effect of effects) this.#performer.perform(effect);
      this.#commit(this.#outbox.untold > 0, this.#effects);
    });
  }

  #mayShareFlush(effects: readonly Effect[]): boolean {
    if (!this.#ports.sharesFlushes || !this.#performer.isBusy) return false;
    // The only branch has no other one to share a flush with.
    if (this.#draft.cursors.size === 1) return false;
    return effects.some((effect) => this.#isRealWork(effect));
  }

  /**
   * True if a flush is needed: not for no-op stages, but before anything that takes time or has
   * consequences.
   */
  #mustSync(effects: readonly Effect[]): boolean {
    if (this.#draft.status !== 'running') return true;
    return effects.some((effect) => effect.kind !== 'execute' || this.#isRealWork(effect));
  }

  #areInstant(effects: readonly Effect[]): boolean {
    return effects.every(
      (effect) => effect.kind === 'execute' && this.#nodeNamed(effect.nodeId).handler.instant,
    );
  }

  #isRealWork(effect: Effect): boolean {
    if (effect.kind !== 'execute') return false;
    const node = this.#nodeNamed(effect.nodeId);
    return !node.handler.instant && this.#ports.handlerOf(node, effect.execution).isSimulated !== true;
  }

  /** Writes decided events, and publishes them. */
  #tell(): void {
    this.#outbox.write();
    if (!this.#isCommitting) this.#publishAll(this.#outbox.takeUntold());
  }

  #performAll(): void {
    const effects = this.#effects;
    if (effects.length === 0) return;
    this.#effects = [];
    for (const effect of effects) this.#performer.perform(effect);
  }

  #publishAll(events: readonly RunEvent[]): void {
    if (events.length === 0) return;
    this.#statusFiles.write();
    this.#parallelResults.write(this.#ports.store.stages);
    for (const event of events) this.#publish(event);
    this.#saveCheckpoint(events);
  }

  #publish(event: RunEvent): void {
    if (event.type === 'LoopRestarted') this.#ports.store.recordActiveDirectory(event.directory);
    this.#ports.history?.add(event);
    const { onEvent } = this.#ports;
    if (onEvent === undefined) return;
    // It is part of the state, and others receive it too.
    deepFreeze(event);
    try {
      const returned: unknown = onEvent(event);
      // An observer in JavaScript may return a promise; its failure is noted.
      if (returned !== undefined) Promise.resolve(returned).catch((error) => this.#noteObserver(error));
    } catch (error) {
      this.#noteObserver(error);
    }
  }

  /** Reports the first failure of an observer; the run continues all the same. */
  #noteObserver(error: unknown): void {
    if (this.#observerFailed) return;
    this.#observerFailed = true;
    const { redactor = noRedactor } = this.#ports;
    const message = boundedText(redactor.text(`an observer of the run threw: ${messageOf(error)}`));
    if (this.#draft.status === 'running') this.dispatch({ kind: 'log', level: 'warning', message });
  }

  #saveCheckpoint(events: readonly RunEvent[]): void {
    const { store, clock, graphHash } = this.#ports;
    const isRunning = this.#draft.status === 'running';
    const isFirst = events[0]?.type === 'PipelineStarted' || events[0]?.type === 'PipelineResumed';
    const settled = events.findLast((event) => 'outcome' in event);
    const isDue = settled !== undefined && this.#checkpoints.isDue(store.journal.size);
    // A directory that is only a cache is written again wherever the run continues.
    if (isRunning && (this.#ports.durableLog !== undefined || (!isFirst && !isDue))) return;
    const startedAt = clock.now();
    // A view must not be ahead of the journal, even after a power failure.
    this.#flush();
    const size = store.writeCheckpoint(checkpointOf(this.#draft, graphHash, startedAt));
    this.#checkpoints.saved(store.journal.size, size, startedAt);
    if (isRunning && settled !== undefined && 'node_id' in settled && settled.node_id !== undefined) {
      this.dispatch({ kind: 'checkpoint_saved', nodeId: settled.node_id });
    }
  }

  #flush(): void {
    if (this.#ports.durableLog !== undefined) this.#outbox.write();
    else if (this.#isCommitting) {
      this.#outbox.write();
      this.#outbox.sync();
    } else this.#outbox.writeDurably();
  }

  #nodeNamed(nodeId: string): ProgramNode {
    const node = this.#program.nodes.get(nodeId);
    if (node === undefined) throw new Error(`the program has no node "${nodeId}"`);
    return node;
  }

  #giveUp(error: unknown): void {
    this.#error ??= { cause: error };
    for (const { reject } of this.#waitForFiles.splice(0)) reject(error);
    this.#performer.stopAll(error);
  }

  /** Finishes the run for this process when nothing is under way any more and nothing will come. */
  #settleWhenIdle(): void {
    if (this.#isStepping || this.#isCommitting || this.#performer.isBusy || this.#finish === undefined)
      return;
    if (this.#error === undefined && this.#draft.status === 'running') {
      this.#error = { cause: new Error('the run is not over, but nothing is in progress') };
    }
    this.#performer.close(this.#error?.cause);
    const { resolve, reject } = this.#finish;
    this.#finish = undefined;
    if (this.#error === undefined) resolve(freeze(this.#draft));
    else reject(this.#error.cause);
  }
}

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Events of a run between decision and publication: they are written first, and flushed if something
 * depends on it (DESIGN §4). The driver publishes them.
 */
class EventOutbox {
  readonly #journal: EventLog;
  /** Decided, and not yet in the journal. */
  #unwritten: RunEvent[] = [];
  /** Events in the journal that are not yet published. */
  #untold: RunEvent[] = [];
  #hasUnsynced = false;

  constructor(journal: EventLog) {
    this.#journal = journal;
  }

  /** Number of events that are not yet in the journal. */
  get unwritten(): number {
    return this.#unwritten.length;
  }

  /** Number of events in the journal that are not yet published. */
  get untold(): number {
    return this.#untold.length;
  }

  /** True if anything may not yet be on the disk. */
  get isUnsafe(): boolean {
    return this.#hasUnsynced || this.#unwritten.length > 0;
  }

  add(event: RunEvent): void {
    this.#unwritten.push(event);
  }

  write(): void {
    if (this.#unwritten.length === 0) return;
    const events = this.#takeUnwritten();
    this.#journal.append(events);
    this.#hasUnsynced = true;
    this.#toTell(events);
  }

  /** Writes all events; returns when they are on the disk. */
  writeDurably(): void {
    if (this.#unwritten.length === 0) {
      if (this.#hasUnsynced) this.sync();
      return;
    }
    const events = this.#takeUnwritten();
    this.#journal.appendDurably(events);
    this.#hasUnsynced = false;
    this.#toTell(events);
  }

  /**
   * Returns when everything written is on the disk, including events written after a flush that is still
   * under way.
   */
  sync(): void {
    this.#journal.sync();
    this.#hasUnsynced = false;
  }

  /** Writes all events; resolves when they are on the disk. Events written meanwhile need another flush. */
  writeSoon(): Promise<void> {
    this.write();
    this.#hasUnsynced = false;
    return this.#journal.syncSoon();
  }

  /** Takes the events in the journal that are not yet published. */
  takeUntold(): readonly RunEvent[] {
    const events = this.#untold;
    this.#untold = [];
    return events;
  }

  #takeUnwritten(): RunEvent[] {
    const events = this.#unwritten;
    this.#unwritten = [];
    return events;
  }

  #toTell(events: RunEvent[]): void {
    if (this.#untold.length === 0) this.#untold = events;
    else for (const event of events) this.#untold.push(event);
  }
}
