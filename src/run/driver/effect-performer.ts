import { allowManyListeners } from '../../abort/abort.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import { messageOf } from '../../handlers/error-category.js';
import { type Handler, StageStopped } from '../../handlers/handler.js';
import type { SteeringReadiness } from '../../handlers/stage-steering.js';
import { isBudgeted, spentBudget } from '../../machine/budget.js';
import type { AbortEffect, Effect, ExecuteEffect, WaitEffect } from '../../machine/effect.js';
import type { InputBody, ReportedInput } from '../../machine/input.js';
import { onlyAsks } from '../../machine/only-asks.js';
import type { Progress } from '../../machine/progress.js';
import { cursorNamed, mainCursor, type RunState } from '../../machine/state.js';
import { addUsage } from '../../machine/usage.js';
import { boundedText } from '../../run-directory/bounded-text.js';
import { noRedactor } from '../../secrets/redactor.js';
import { liveLines, type Workspace } from '../../workspaces/workspace.js';
import { AttemptsElsewhere } from '../elsewhere/attempts-elsewhere.js';
import { AttemptStage, type StageHost } from './attempt-stage.js';
import { continuedFiles } from './continued-files.js';
import type { DriverPorts } from './driver-ports.js';
import { EventLoopTurns } from './event-loop-turns.js';
import { fanOutInput } from './fan-out-input.js';
import { attemptInWorkspace, hasFiles, type KeptResult } from './in-workspace.js';
import { nextTurn } from './next-turn.js';
import { PendingUsage } from './pending-usage.js';
import { type AttemptResult, runAttempt } from './run-attempt.js';
import { StageQuestions } from './stage-questions.js';
import { StageWords } from './stage-words.js';

/** Services of the driver for its performer. */
export interface PerformerHost {
  state(): RunState;
  dispatch(input: InputBody & ReportedInput): void;
  /** Makes all events durable that were decided so far. */
  flush(): void;
  /**
   * Resolves when the files of a stage are stored where they survive this machine, in a run that may continue elsewhere.
   * @param recordsTurns true if its backend asks for that after each turn
   */
  keepFiles(stage: string, recordsTurns: boolean): Promise<void>;
  /** Called when a stage opens itself to words of people, or refuses them. */
  onReadiness?(readiness: SteeringReadiness): void;
  /** Called before the process yields to other work. */
  beforeTurn(): void;
  /** Called when the last effect under way has ended. */
  onIdle(): void;
  onBroken(error: unknown): void;
}

/** Performs the effects of the machine, and feeds the results back. */
export class EffectPerformer {
  readonly questions: StageQuestions;
  readonly words: StageWords;
  readonly #program: Program;
  readonly #ports: DriverPorts;
  readonly #host: PerformerHost;
  readonly #stageHost: StageHost;
  /** Controllers of the work for each cursor, to stop it. */
  readonly #controllers = new Map<string, AbortController>();
  /** Aborted when the run must pause. */
  readonly #pause = new AbortController();
  /** Aborted when the run is over for this process. */
  readonly #end = new AbortController();
  readonly #untold = new PendingUsage();
  readonly #turns = new EventLoopTurns();
  readonly #elsewhere: AttemptsElsewhere | undefined;
  #underWay = 0;

  constructor(program: Program, ports: DriverPorts, host: PerformerHost) {
    // Any number of stages may listen; that is not a leak.
    allowManyListeners(this.#pause.signal);
    this.#program = program;
    this.#ports = ports;
    this.#host = host;
    const { redactor } = ports;
    this.words = new StageWords({
      program,
      redactor,
      state: () => host.state(),
      dispatch: (input) => host.dispatch(input),
      onReadiness: (readiness) => host.onReadiness?.(readiness),
    });
    this.#stageHost = {
      program,
      words: this.words,
      ports,
      pauseSignal: this.#pause.signal,
      state: () => host.state(),
      report: (effect, progress) => this.#report(effect, progress),
      spent: (cursor) => this.#spent(cursor),
      isBudgeted: (cursor) => this.#isBudgeted(cursor),
      countChild: (cursor, untold) => this.#untold.countChild(cursor, untold),
      log: (level, message, nodeId) => this.#log(level, message, nodeId),
      flush: () => host.flush(),
      keepFiles: (stage, recordsTurns) => host.keepFiles(stage, recordsTurns),
      raise: (attempt, question, signal) => this.questions.raise(attempt, question, signal),
    };
    this.questions = new StageQuestions(ports, {
      state: () => host.state(),
      onlyAsks: () => onlyAsks(program, host.state()),
      dispatch: (input) => host.dispatch(input),
      warn: (message, nodeId) => this.#log('warning', message, nodeId),
    });
    this.#elsewhere =
      ports.elsewhere &&
      new AttemptsElsewhere(ports.elsewhere, {
        ...this.#stageHost,
        dispatch: (input) => host.dispatch(input),
      });
    ports.budgetAbove?.watch(() => addUsage(host.state().totalUsage, this.#untold.total()));
  }

  get isBusy(): boolean {
    return this.#underWay > 0;
  }

  perform(effect: Effect): void {
    switch (effect.kind) {
      case 'execute':
        return this.#execute(effect);
      case 'wait':
        if (!this.#isWanted(effect)) return;
        return this.#track(this.#wait(effect, this.#controllerFor(effect.cursor)));
      case 'wait_for_run':
        return void this.#waitForRun(effect.until);
      case 'ask':
        return this.#track(this.questions.ask(effect, () => this.#controllerFor(effect.cursor).signal));
      case 'deliver':
        return this.questions.deliver(effect);
      case 'say':
        return this.#elsewhere?.say(effect);
      case 'request_pause':
        return this.#pause.abort(new StageStopped('paused', effect.reason));
      case 'abort':
        return this.#abort(effect);
    }
  }

  stopAll(error: unknown): void {
    for (const controller of this.#controllers.values()) controller.abort(error);
  }

  /** @param error that broke the run off */
  close(error?: unknown): void {
    this.questions.close(error);
    this.#end.abort();
  }

  #controllerFor(cursor: string): AbortController {
    const controller = new AbortController();
    this.#controllers.set(cursor, controller);
    return controller;
  }

  #abort({ cursor, why, reason }: AbortEffect): void {
    this.#controllers.get(cursor)?.abort(new StageStopped(why, reason));
    this.#controllers.delete(cursor);
  }

  #track(work: Promise<void>): void {
    this.#underWay += 1;
    work
      .catch((error: unknown) => this.#host.onBroken(error))
      .finally(() => {
        this.#underWay -= 1;
        this.#host.onIdle();
      });
  }

  /** True unless later decisions have made an effect pointless before it could be performed. */
  #isWanted({ cursor: id, index, attempt }: ExecuteEffect | WaitEffect): boolean {
    const state = this.#host.state();
    const cursor = state.cursors.get(id);
    return state.status === 'running' && cursor?.index === index && cursor.attempt === attempt;
  }

  #execute(effect: ExecuteEffect): void {
    if (!this.#isWanted(effect)) return;
    const node = this.#nodeNamed(effect.nodeId);
    const { cursor } = effect;
    const handler = this.#ports.handlerOf(node, effect.execution);
    const { workspace } = this.#ports;
    if (workspace !== undefined && hasFiles(node, this.#host.state(), cursor)) {
      this.#host.beforeTurn();
      return this.#track(this.#executeInWorkspace(effect, node, handler, workspace));
    }
    if (handler.fansOut) return this.#host.dispatch(fanOutInput(this.#stageHost, effect, node, handler));
    const stage = new AttemptStage(this.#stageHost, this.#host.state(), effect, node, handler);
    if (this.#elsewhere?.takes(effect, node, handler)) {
      this.#host.beforeTurn();
      this.#controllers.set(cursor, stage.controller);
      return this.#track(this.#elsewhere.perform(effect, node, stage));
    }
    const result = this.#inTurn(effect, runAttempt(node, handler, stage, effect, this.#ports));
    if (!(result instanceof Promise)) {
      if (!this.#turns.isDue()) return this.#settle(effect, result);
      this.#host.beforeTurn();
      return this.#track(this.#settleAfterOthers(effect, result));
    }
    this.#host.beforeTurn();
    this.#controllers.set(cursor, stage.controller);
    this.#track(
      result.then((ended) =>
        this.#turns.isDue() ? this.#settleAfterOthers(effect, ended) : this.#settle(effect, ended),
      ),
    );
  }

  /** Prepares the files of the stage before it, and keeps them after it. */
  async #executeInWorkspace(
    effect: ExecuteEffect,
    node: ProgramNode,
    handler: Handler,
    workspace: Workspace,
  ): Promise<void> {
    const { cursor, visit, attempt } = effect;
    const { files } = cursorNamed(this.#host.state(), cursor);
    if (files === undefined) throw new Error(`"${node.id}" has no files`);
    let stage: AttemptStage | undefined;
    const result = await attemptInWorkspace({
      workspace,
      stage: {
        node,
        files,
        visit,
        attempt,
        continued: continuedFiles(this.#stageHost, this.#host.state(), effect, node),
        liveLines: () => liveLines(this.#host.state()),
        warn: (message) => this.#log('warning', message, node.id, true),
      },
      fansOut: handler.fansOut === true,
      isWanted: () => this.#isWanted(effect),
      isOpen: () => stage?.conversation?.isOpen === true,
      run: (own) => {
        stage = new AttemptStage(this.#stageHost, this.#host.state(), effect, node, handler, own);
        this.#controllers.set(cursor, stage.controller);
        return this.#inTurn(effect, runAttempt(node, handler, stage, effect, this.#ports));
      },
    });
    this.#settleKept(effect, node, handler, result);
  }

  #settleKept(effect: ExecuteEffect, node: ProgramNode, handler: Handler, result: KeptResult): void {
    const { cursor, index, attempt } = effect;
    switch (result.kind) {
      case 'unwanted':
        return;
      case 'suspended':
        return this.#settle(effect, result);
      case 'fans_out':
        return this.#host.dispatch(fanOutInput(this.#stageHost, effect, node, handler, result.commit));
      case 'settled': {
        const { outcome, commit, simulated, workedMs } = result;
        return this.#host.dispatch({
          kind: 'stage_settled',
          cursor,
          index,
          attempt,
          outcome,
          commit,
          simulated,
          workedMs,
        });
      }
    }
  }

  /** Waits in a simulation for the clock, which decides which of the ready branches continues first. */
  #inTurn(
    { cursor }: ExecuteEffect,
    result: AttemptResult | Promise<AttemptResult>,
  ): AttemptResult | Promise<AttemptResult> {
    const { clock } = this.#ports;
    if (clock.turn === undefined || cursor === mainCursor) return result;
    return Promise.resolve(result).then(async (ended) => {
      await clock.turn?.();
      return ended;
    });
  }

  /** Yields to timers and signals in a loop of stages that wait for nothing. */
  async #settleAfterOthers(effect: ExecuteEffect, result: AttemptResult): Promise<void> {
    await new Promise<void>((resolve) => nextTurn(resolve));
    this.#settle(effect, result);
  }

  #settle({ cursor, index, attempt }: ExecuteEffect, result: AttemptResult): void {
    if (result.kind === 'settled') {
      const { outcome, simulated, workedMs } = result;
      this.#host.dispatch({ kind: 'stage_settled', cursor, index, attempt, outcome, simulated, workedMs });
    } else {
      this.#host.dispatch({ kind: 'stage_suspended', cursor, index, attempt, reason: result.reason });
    }
  }

  async #wait({ cursor, index, attempt, until }: WaitEffect, controller: AbortController): Promise<void> {
    if (!(await this.#sleepUntil(until, controller.signal))) return; // The journal has the time of its end.
    this.#host.dispatch({ kind: 'timer_fired', cursor, index, attempt });
  }

  /** Watches the run without keeping it going. */
  async #waitForRun(until: number): Promise<void> {
    if (await this.#sleepUntil(until, this.#end.signal)) this.#host.dispatch({ kind: 'run_timer_fired' });
  }

  /** @returns false if it was stopped before. A timer of the system may fire a moment too early. */
  async #sleepUntil(until: number, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#ports;
    try {
      do await clock.sleep(Math.max(0, until - clock.now()), signal);
      while (clock.now() < until);
      return true;
    } catch {
      return false;
    }
  }

  #report({ cursor, index, attempt, nodeId, visit }: ExecuteEffect, progress: Progress): void {
    const stage = progress.kind === 'model_used' ? { nodeId, visit } : undefined;
    const tell = (): void =>
      this.#host.dispatch({ kind: 'stage_progress', cursor, index, attempt, progress, stage });
    if (progress.kind !== 'model_used') return tell();
    const expense = { cursor, usage: progress.usage };
    this.#untold.during(expense, () => this.#host.state().totalUsage, tell);
  }

  /** Reason why a stage may spend nothing more: its own budget, that of its run, or those above. */
  #spent(cursor: string): string | undefined {
    const reason = spentBudget(this.#program, this.#host.state(), cursor, this.#untold.expenses());
    return reason ?? this.#ports.budgetAbove?.spent();
  }

  #isBudgeted(id: string): boolean {
    if (this.#ports.budgetAbove?.isBound) return true;
    const state = this.#host.state();
    return isBudgeted(this.#program, state, cursorNamed(state, id));
  }

  #log(level: 'info' | 'warning', message: string, nodeId?: string, aboutFiles?: true): void {
    if (this.#host.state().status !== 'running') return;
    const { redactor = noRedactor } = this.#ports;
    // Code that no compiler has seen may pass something other than text.
    const clean = redactor.text(typeof message === 'string' ? message : messageOf(message));
    const entry = { level: level === 'info' ? level : 'warning', message: boundedText(clean) } as const;
    this.#host.dispatch({ kind: 'log', ...entry, nodeId, aboutFiles });
  }

  #nodeNamed(nodeId: string): ProgramNode {
    const node = this.#program.nodes.get(nodeId);
    if (node === undefined) throw new Error(`the program has no node "${nodeId}"`);
    return node;
  }
}
