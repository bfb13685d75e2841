import { abortWith } from '../../abort/abort.js';
import type { ConditionScope } from '../../graph/evaluate-condition.js';
import type { Graph, Node } from '../../graph/graph.js';
import { copyJson, type JsonValue } from '../../graph/json.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import { type StageRoutes, stageRoutes } from '../../graph/stage-routes.js';
import { unchangeableGraph, unchangeableNode } from '../../graph/unchangeable-graph.js';
import { type FileReference, isFileReference } from '../../graph/values/file-reference.js';
import type { SeenStages } from '../../graph/values/seen-stages.js';
import { Context } from '../../handlers/context.js';
import {
  type Carryover,
  type Handler,
  type Stage,
  StageCrash,
  StageSuspension,
} from '../../handlers/handler.js';
import type { StageSteering } from '../../handlers/stage-steering.js';
import type { ExecuteEffect } from '../../machine/effect.js';
import type { AttemptInput } from '../../machine/input.js';
import type { Answer, Question } from '../../machine/interview.js';
import type { Outcome } from '../../machine/outcome.js';
import type { OutputChannel, Progress } from '../../machine/progress.js';
import { scopeAfter } from '../../machine/routable-outcome.js';
import { stagesSeenBy } from '../../machine/seen-stages.js';
import { type Cursor, cursorNamed, mainCursor, type RunState } from '../../machine/state.js';
import type { Usage } from '../../machine/usage.js';
import { resolveReferences } from '../../run-directory/artifact-reference.js';
import { byteLength } from '../../run-directory/byte-length.js';
import { plainName } from '../../run-directory/plain-name.js';
import { sha256 } from '../../run-directory/sha256.js';
import { StageArtifacts } from '../../run-directory/stage-artifacts.js';
import { restartDirectory, stagePath } from '../../run-directory/stage-path.js';
import { noRedactor, type Redactor } from '../../secrets/redactor.js';
import { inform } from '../questions/inform.js';
import { AttemptInterview } from './attempt-interview.js';
import { AwaitedTime } from './awaited-time.js';
import { holding } from './clock.js';
import type { DriverPorts } from './driver-ports.js';
import { keepConversation } from './keep-conversation.js';
import { ProgressReporter } from './progress-reporter.js';
import type { StageWords } from './stage-words.js';
import type { ConversationWorkspace, KeptConversation } from './visit-conversation.js';
import { visitKey } from './visit-key.js';

/** Services of the driver for its stages. */
export interface StageHost {
  readonly program: Program;
  readonly ports: DriverPorts;
  readonly pauseSignal: AbortSignal;
  readonly words: StageWords;
  /** Current state. */
  state(): RunState;
  /** Reports the progress of a stage. */
  report(effect: ExecuteEffect, progress: Progress): void;
  /** Reason why a stage may spend nothing more; undefined as long as it may. */
  spent(cursor: string): string | undefined;
  /** True if a stage has a budget. */
  isBudgeted(cursor: string): boolean;
  /**
   * Counts usage of a stage's child that is not yet reported.
   * @returns a function that ends it
   */
  countChild(cursor: string, untold: () => Usage): () => void;
  log(level: 'info' | 'warning', message: string, nodeId: string): void;
  /** Makes everything durable that was reported so far. */
  flush(): void;
  /**
   * Resolves when the files of a stage are stored where they survive this machine, in a run that may continue elsewhere.
   * @param recordsTurns true if its backend asks for that after each turn
   */
  keepFiles(stage: string, recordsTurns: boolean): Promise<void>;
  /** Asks a person; rejects when the signal is aborted. */
  raise(attempt: AttemptInput, question: Question, signal: AbortSignal): Promise<Answer>;
}

/**
 * Stage for the handler of one attempt (§4.1). Parts that take longer to make than a no-op stage takes to
 * run (the signal, the context, paths) are made on demand; values that the run may change meanwhile are
 * read at once.
 */
export class AttemptStage implements Stage {
  /** Path of the stage's files, relative to the run directory. */
  readonly path: string;
  readonly runId: string;
  readonly visit: number;
  readonly attempt: number;
  readonly #node: Node;
  readonly #isTrusted: boolean;
  readonly #host: StageHost;
  readonly #state: RunState;
  readonly #effect: ExecuteEffect;
  readonly #cursor: Cursor;
  readonly #restart: string;
  readonly #workingDirectory: string;
  #controller: AbortController | undefined;
  #context: Context | undefined;
  #artifacts: StageArtifacts | undefined;
  #carryover: Carryover | undefined;
  #result: Outcome | undefined;
  #isOver = false;
  #isSimulated = false;
  #reports: ProgressReporter | undefined;
  #interview: AttemptInterview | undefined;
  #awaited: AwaitedTime | undefined;
  /** Waits for its turn alone, and the time of the first one. */
  #turns: { readonly waited: AwaitedTime; readonly began: number } | undefined;
  #files: SaidFiles | undefined;
  readonly #conversationFiles: ConversationWorkspace | undefined;
  #conversation: KeptConversation | undefined;

  constructor(
    host: StageHost,
    state: RunState,
    effect: ExecuteEffect,
    { id, node }: ProgramNode,
    { isTrusted = false }: Pick<Handler, 'isTrusted'>,
    conversationFiles?: ConversationWorkspace,
  ) {
    const cursor = cursorNamed(state, effect.cursor);
    this.#host = host;
    this.#state = state;
    this.#effect = effect;
    this.#cursor = cursor;
    this.#restart = restartDirectory(state);
    this.#conversationFiles = conversationFiles;
    const { workspace, workingDirectory } = host.ports;
    const { files } = cursor;
    this.#workingDirectory =
      files === undefined || workspace === undefined ? workingDirectory : workspace.directoryOf(files);
    this.#node = node;
    this.#isTrusted = isTrusted;
    this.path = stagePath(host.program, state, effect.cursor, id);
    this.runId = state.runId;
    this.visit = effect.visit;
    this.attempt = effect.attempt;
    if (effect.fidelity !== undefined) this.#carryover = this.#makeCarryover(effect.fidelity);
  }

  /** True when its outcome is settled, and another attempt may be at work. @internal */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Emits the progress that is held back. @internal */
  flushProgress(): void {
    this.#reports?.flush();
  }

  /** Keeps remaining work of the handler from acting in its name; call it when the outcome is settled. */
  close(): void {
    this.flushProgress();
    this.#isOver = true;
    this.#interview?.close(this.#refusal('ask'));
  }

  /** Controller that stops the attempt. */
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
    const { graph } = this.#host.program;
    return this.#isTrusted ? graph : unchangeableGraph(graph);
  }

  get node(): Node {
    return this.#isTrusted ? this.#node : unchangeableNode(this.#node);
  }

  get result(): Outcome | undefined {
    const { routedOutcome } = this.#cursor;
    this.#result ??= routedOutcome && this.#whole(routedOutcome);
    return this.#result;
  }

  get resultNode(): string | undefined {
    return this.#cursor.routedFrom;
  }

  /** Copy of an outcome with the values that are stored as artifacts. */
  #whole(outcome: Outcome): Outcome {
    const { artifacts } = this.#host.ports;
    const resolved = (values: Outcome['context_updates']) =>
      values && copyJson(resolveReferences(values, artifacts) as typeof values);
    const { context_updates: updates, assigned } = outcome;
    return { ...copyJson(outcome), context_updates: resolved(updates), assigned: resolved(assigned) };
  }

  /** Scope of the conditions on the edges of the stage, as soon as it settles with an outcome. @internal */
  scopeAfter(node: ProgramNode, outcome: Outcome): ConditionScope {
    return scopeAfter(this.#cursor, node, outcome);
  }

  get stages(): SeenStages {
    const { artifacts, store } = this.#host.ports;
    const whole = (value: JsonValue): JsonValue => {
      if (!isFileReference(value)) return resolveReferences(value, artifacts);
      const text = store.stages.readReferenced(value);
      if (text === undefined) throw new StageCrash(lostFile(value), { retryable: false });
      return text;
    };
    return { ...stagesSeenBy(this.#cursor), whole };
  }

  get context(): Context {
    this.#context ??= new Context(
      this.#cursor.context,
      (message) => this.#log('info', message),
      (value) => resolveReferences(value, this.#host.ports.artifacts),
    );
    return this.#context;
  }

  /** Updates of the handler to the context, if it has used it at all. */
  get contextUpdates(): ReadonlyMap<string, JsonValue> | undefined {
    return this.#context?.updates;
  }

  get artifacts(): StageArtifacts {
    this.#artifacts ??= new StageArtifacts(this.#host.ports.artifacts, () =>
      this.#checkUnderWay('change artifacts'),
    );
    return this.#artifacts;
  }

  /** Ids of the handler's artifacts; undefined if it has used none. */
  get storedArtifacts(): StageArtifacts | undefined {
    return this.#artifacts;
  }

  get logsRoot(): string {
    return this.#host.ports.store.stages.exposeDirectory(this.#restart);
  }

  /** Key of the visit; visits are counted separately after a restart, and for each branch (SEMANTICS 106). */
  get idempotencyKey(): string {
    const { cursor, lineVisit } = this.#effect;
    const visit = visitKey({ restart: this.#restart, branch: cursor, nodeId: this.#node.id, lineVisit });
    return `${this.runId}/${visit}`;
  }

  get stageDirectory(): string {
    return this.#host.ports.store.stages.exposeDirectory(this.path);
  }

  get workingDirectory(): string {
    return this.#workingDirectory;
  }

  get strictValues(): boolean {
    return this.#host.ports.settings.strictValues === true;
  }

  get carryover(): Carryover | undefined {
    return this.#carryover;
  }

  /** Requests that models have answered for this visit before this attempt. @internal */
  get answeredRequests(): number {
    return this.#cursor.visitUsage.requests;
  }

  // Methods are bound, because handlers take a stage apart.

  get makeStageDirectory(): Stage['makeStageDirectory'] {
    return () => {
      this.#checkUnderWay('make its directory');
      this.#host.ports.store.stages.makeDirectory(this.path);
    };
  }

  get writeFile(): Stage['writeFile'] {
    return (name, text) => {
      this.#checkUnderWay('write files');
      const written = this.redactor.text(text);
      this.#host.ports.store.stages.write(this.path, plainName(name), written);
      // What a manager tells its child is not its answer, and depends on when it looked.
      if (name === 'response.md' && !this.#runsChild())
        this.keepFile('response', fileReference(`${this.path}/${name}`, written));
    };
  }

  get keepFile(): Stage['keepFile'] {
    return (what, reference) => {
      this.#checkUnderWay('name its files');
      this.#files = { ...this.#files, [what]: reference };
    };
  }

  /** Files that have all that the stage said; durable if another stage may read them. */
  saidFiles(): SaidFiles | undefined {
    const files = this.#files;
    const isRead = this.#host.program.stagesRead.has(this.#node.id);
    if (files !== undefined && isRead) {
      for (const file of [files.response, files.output]) if (file) this.#host.ports.store.stages.sync(file);
    }
    return files;
  }

  get openFile(): Stage['openFile'] {
    return (name) => {
      this.#checkUnderWay('open files');
      return this.#host.ports.store.stages.open(this.path, plainName(name));
    };
  }

  get log(): Stage['log'] {
    return (level, message) => this.#log(level, message);
  }

  get report(): Stage['report'] {
    return (progress) => {
      if (!this.#isOver) this.#reporter().report(progress);
    };
  }

  get checkBudget(): Stage['checkBudget'] {
    return () => {
      const reason = this.#host.spent(this.#effect.cursor);
      if (reason !== undefined) throw new StageSuspension(reason);
    };
  }

  get isBudgeted(): boolean {
    return this.#host.isBudgeted(this.#effect.cursor);
  }

  get redactor(): Redactor {
    return this.#host.ports.redactor ?? noRedactor;
  }

  #runsChild(): boolean {
    return this.#host.program.nodes.get(this.#node.id)?.handler.runsChild === true;
  }

  get routes(): StageRoutes {
    return stageRoutes(this.#host.program, this.#node.id);
  }

  get sleep(): Stage['sleep'] {
    return (milliseconds, signal) => {
      if (this.#isOver) return Promise.reject(this.#refusal('sleep'));
      const { clock } = this.#host.ports;
      if (signal === undefined) return clock.sleep(milliseconds, this.signal);
      const over = new AbortController();
      const release = abortWith(over, this.signal, signal);
      return clock.sleep(milliseconds, over.signal).finally(release);
    };
  }

  get holdTime(): NonNullable<Stage['holdTime']> {
    return (work) => holding(this.#host.ports.clock, work);
  }

  get runChild(): Stage['runChild'] {
    return (request) => {
      this.#checkUnderWay('run other pipelines');
      const { startChild, elsewhere } = this.#host.ports;
      if (startChild === undefined) throw new Error('this run cannot run other pipelines');
      const { cursor } = this.#effect;
      const budget = {
        isBound: this.isBudgeted,
        spent: () => this.#host.spent(cursor),
        count: (untold: () => Usage) => this.#host.countChild(cursor, untold),
      };
      // A manager writes into the directories of the stages that it supervises.
      const isSupervised = this.#host.program.nodes.get(this.#node.id)?.handler.mayAskModel === true;
      if (elsewhere === undefined || isSupervised) return startChild(request, this, budget);
      const isInBranch = cursor !== mainCursor;
      return startChild(request, this, budget, (directory) => elsewhere.below(directory, isInBranch));
    };
  }

  get openConversation(): Stage['openConversation'] {
    return (prompt) => {
      this.#conversation ??= keepConversation(this.#host, this, prompt, this.#conversationFiles);
      return this.#conversation;
    };
  }

  /** Conversation of the attempt with its backend; undefined if it has none. */
  get conversation(): KeptConversation | undefined {
    return this.#conversation;
  }

  get markSimulated(): Stage['markSimulated'] {
    return () => {
      this.#isSimulated = true;
    };
  }

  /** True if its work is only simulated. */
  get isSimulated(): boolean {
    return this.#isSimulated;
  }

  get ask(): Stage['ask'] {
    return (draft) => this.#interviewer().ask(draft);
  }

  get askMultiple(): Stage['askMultiple'] {
    return (drafts) => this.#interviewer().askMultiple(drafts);
  }

  /** Time in which it has waited for people, or for its turn; undefined if it never has. */
  get awaited(): AwaitedTime | undefined {
    return this.#awaited;
  }

  get standBy(): NonNullable<Stage['standBy']> {
    return async (wait) => {
      this.#checkUnderWay('wait');
      const over = new AbortController();
      const release = abortWith(over, this.signal, this.pauseSignal);
      try {
        return await this.#waits().during(this.#turnsOf(wait(over.signal)));
      } catch (error) {
        if (over.signal.aborted && !this.signal.aborted) throw new StageSuspension('the run is pausing');
        throw error;
      } finally {
        release();
      }
    };
  }

  /** Milliseconds of its work until now, if it has waited for its turn. */
  get workedMs(): number | undefined {
    const turns = this.#turns;
    return turns && this.#host.ports.clock.now() - turns.began - turns.waited.total;
  }

  #turnsOf<Result>(wait: Promise<Result>): Promise<Result> {
    const { clock } = this.#host.ports;
    this.#turns ??= { waited: new AwaitedTime(() => clock.now()), began: this.#cursor.startedAt };
    return this.#turns.waited.during(wait);
  }

  #waits(): AwaitedTime {
    this.#awaited ??= new AwaitedTime(() => this.#host.ports.clock.now());
    return this.#awaited;
  }

  get steering(): StageSteering {
    const { cursor, index, attempt } = this.#effect;
    return this.#host.words.steeringOf({ cursor, index, attempt }, this);
  }

  get inform(): Stage['inform'] {
    return (message) =>
      inform(this.#host.ports.interviewer, this.redactor.text(String(message)), this.#node.id);
  }

  #interviewer(): AttemptInterview {
    this.#interview ??= new AttemptInterview({
      host: this.#host,
      effect: this.#effect,
      awaited: this.#waits(),
      stopped: this.signal,
      checkOpen: () => this.#checkUnderWay('ask'),
    });
    return this.#interview;
  }

  #tell(channel: OutputChannel, text: string): void {
    const branch = this.#effect.cursor === mainCursor ? undefined : this.#effect.cursor;
    this.#host.ports.onText?.({ run_id: this.runId, node_id: this.#node.id, branch, channel, text });
  }

  #reporter(): ProgressReporter {
    this.#reports ??= new ProgressReporter(
      (progress) => this.#host.report(this.#effect, progress),
      this.redactor,
      (channel, text) => this.#tell(channel, text),
    );
    return this.#reports;
  }

  /**
   * @throws Error for calls from remaining work of a handler: another stage may be at work by now, or none
   */
  #checkUnderWay(what: string): void {
    if (this.#isOver) throw this.#refusal(what);
  }

  #refusal(what: string): Error {
    const { nodeId, attempt } = this.#effect;
    return new Error(`attempt ${attempt} of "${nodeId}" is over: its handler can no longer ${what}`);
  }

  #log(level: 'info' | 'warning', message: string): void {
    this.#host.log(level, message, this.#effect.nodeId);
  }

  #makeCarryover(mode: Carryover['mode']): Carryover {
    const { ports } = this.#host;
    return {
      mode,
      thread: this.#effect.thread,
      session: this.#effect.session,
      preamble: async (beginsAnew = false) => {
        if (ports.preamble === undefined) return '';
        const continues = mode === 'full' && this.#effect.session !== undefined && !beginsAnew;
        // The tokenizer is read from the disk on first use.
        return holding(ports.clock, ports.preamble(mode, this.#state, this.#effect, continues));
      },
    };
  }
}

/** Files that have all that a stage said (SEMANTICS 104). */
type SaidFiles = Pick<Outcome, 'response' | 'output'>;

function fileReference(file: string, text: string): FileReference {
  return { $file: file, sha256: sha256(text), bytes: byteLength(text) };
}

function lostFile({ $file, bytes }: FileReference): string {
  return `${$file} of the run directory, ${bytes} bytes that an earlier stage left, is gone or has been changed since; restore the file, or run that stage again`;
}
