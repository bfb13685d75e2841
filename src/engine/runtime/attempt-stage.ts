import type { Graph, Node } from '../../graph/graph.js';
import type { JsonValue } from '../../graph/json.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import { Context } from '../handlers/context.js';
import type { Carryover, Stage } from '../handlers/handler.js';
import type { QuestionDraft } from '../handlers/question-draft.js';
import type { ExecuteEffect } from '../machine/effect.js';
import type { Answer, Question } from '../machine/interview.js';
import type { Outcome } from '../machine/outcome.js';
import type { PersistentMap } from '../machine/persistent.js';
import { cursorNamed, type RunState } from '../machine/state.js';
import { resolveReferences } from './artifact-reference.js';
import { holding } from './clock.js';
import type { DriverPorts } from './driver-ports.js';
import { inform } from './inform.js';
import { buildPreamble } from './preamble.js';
import { preambleMaterial } from './preamble-material.js';
import { readQuestion } from './read-question.js';
import { StageArtifacts } from './stage-artifacts.js';
import { restartDirectory, stagePath } from './stage-path.js';

/** What stages need of the driver that runs them. */
export interface StageHost {
  readonly program: Program;
  readonly ports: DriverPorts;
  readonly pauseSignal: AbortSignal;
  log(level: 'info' | 'warning', message: string, nodeId: string): void;
  /** Has a person asked; rejects when the signal is aborted. */
  raise(cursor: string, question: Question, signal: AbortSignal): Promise<Answer>;
}

/**
 * What the handler of one attempt is given (§4.1). Whatever takes longer to make than a no-op stage takes to run (the
 * signal, the context, paths) is made when somebody asks for it; what the run may change meanwhile is read at once.
 */
export class AttemptStage implements Stage {
  readonly node: Node;
  /** Where the files of the stage are, relative to the run directory. */
  readonly place: string;
  readonly runId: string;
  readonly visit: number;
  readonly attempt: number;
  readonly result: Outcome | undefined;
  readonly #host: StageHost;
  readonly #state: RunState;
  readonly #effect: ExecuteEffect;
  readonly #values: PersistentMap<string, JsonValue>;
  readonly #restart: string;
  #controller: AbortController | undefined;
  #context: Context | undefined;
  #artifacts: StageArtifacts | undefined;
  #carryover: Carryover | undefined;
  #asked = 0;
  #lastAnswer: Promise<unknown> = Promise.resolve();

  constructor(host: StageHost, state: RunState, effect: ExecuteEffect, { id, node }: ProgramNode) {
    const cursor = cursorNamed(state, effect.cursor);
    this.#host = host;
    this.#state = state;
    this.#effect = effect;
    this.#values = cursor.context;
    this.#restart = restartDirectory(state);
    this.node = node;
    this.place = stagePath(host.program, state, effect.cursor, id);
    this.runId = state.runId;
    this.visit = effect.visit;
    this.attempt = effect.attempt;
    this.result = cursor.routedOutcome;
    if (effect.fidelity !== undefined) this.#carryover = this.#makeCarryover(effect.fidelity);
  }

  /** Stops the attempt. */
  get controller(): AbortController {
    this.#controller ??= new AbortController();
    return this.#controller;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get pauseSignal(): AbortSignal {
    return this.#host.pauseSignal;
  }

  get graph(): Graph {
    return this.#host.program.graph;
  }

  get context(): Context {
    this.#context ??= new Context(
      this.#values,
      (message) => this.#log('info', message),
      (value) => resolveReferences(value, this.#host.ports.artifacts),
    );
    return this.#context;
  }

  /** What the handler has put into the context, if it has asked for it at all. */
  get contextUpdates(): ReadonlyMap<string, JsonValue> | undefined {
    return this.#context?.updates;
  }

  get artifacts(): StageArtifacts {
    this.#artifacts ??= new StageArtifacts(this.#host.ports.artifacts);
    return this.#artifacts;
  }

  /** The ids of what the handler has stored; undefined where it has asked for no artifacts. */
  get storedArtifacts(): StageArtifacts | undefined {
    return this.#artifacts;
  }

  get logsRoot(): string {
    return this.#host.ports.store.stageDirectory(this.#restart);
  }

  /** Visits are counted anew after a restart. */
  get idempotencyKey(): string {
    return [this.runId, this.#restart, this.node.id, this.visit].filter((part) => part !== '').join('/');
  }

  get stageDirectory(): string {
    return this.#host.ports.store.stageDirectory(this.place);
  }

  get workingDirectory(): string {
    return this.#host.ports.workingDirectory;
  }

  get strictValues(): boolean {
    return this.#host.ports.strictValues;
  }

  get carryover(): Carryover | undefined {
    return this.#carryover;
  }

  // Methods are handed out bound: handlers take a stage apart.

  get makeStageDirectory(): Stage['makeStageDirectory'] {
    return () => this.#host.ports.store.makeStageDirectory(this.place);
  }

  get writeFile(): Stage['writeFile'] {
    return (name, text) => this.#host.ports.store.writeStageFile(this.place, name, text);
  }

  get openFile(): Stage['openFile'] {
    return (name) => this.#host.ports.store.openStageFile(this.place, name);
  }

  get log(): Stage['log'] {
    return (level, message) => this.#log(level, message);
  }

  get sleep(): Stage['sleep'] {
    return (milliseconds, signal) => {
      const either = signal === undefined ? this.signal : AbortSignal.any([this.signal, signal]);
      return this.#host.ports.clock.sleep(milliseconds, either);
    };
  }

  get runChild(): Stage['runChild'] {
    return (request) => {
      const { startChild } = this.#host.ports;
      if (startChild === undefined) throw new Error('this run cannot run other pipelines');
      return startChild(request, this);
    };
  }

  get ask(): Stage['ask'] {
    return async (draft) => this.#raise(this.#question(draft));
  }

  get askMultiple(): Stage['askMultiple'] {
    return async (drafts) => {
      // Nobody is to answer some of them for a handler that cannot put the others.
      const questions = drafts.map((draft) => this.#question(draft));
      return Promise.all(questions.map((question) => this.#raise(question)));
    };
  }

  get inform(): Stage['inform'] {
    return (message) => inform(this.#host.ports.interviewer, message, this.node.id);
  }

  #question(draft: QuestionDraft): Question {
    const { nodeId, index, attempt } = this.#effect;
    this.#asked += 1;
    return readQuestion(draft, `${nodeId}.${index}.${attempt}.${this.#asked}`, nodeId);
  }

  /** A stage asks one question at a time, whatever its handler does (SEMANTICS 75). */
  #raise(question: Question): Promise<Answer> {
    const raise = (): Promise<Answer> => this.#host.raise(this.#effect.cursor, question, this.signal);
    const answer = this.#lastAnswer.then(raise, raise);
    this.#lastAnswer = answer;
    return answer;
  }

  #log(level: 'info' | 'warning', message: string): void {
    this.#host.log(level, message, this.#effect.nodeId);
  }

  #makeCarryover(mode: Carryover['mode']): Carryover {
    const { program, ports } = this.#host;
    const { history } = ports;
    return {
      mode,
      thread: this.#effect.thread,
      preamble: async () => {
        if (mode === 'full' || history === undefined) return '';
        // The tokenizer is read from the disk when it is needed first.
        return holding(
          ports.clock,
          buildPreamble(mode, preambleMaterial(program, this.#state, history, this.#effect)),
        );
      },
    };
  }
}
