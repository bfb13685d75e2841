import type { Graph, Node } from '../graph/graph.js';
import type { StageRoutes } from '../graph/stage-routes.js';
import type { FileReference } from '../graph/values/file-reference.js';
import type { SeenStages } from '../graph/values/seen-stages.js';
import type { FidelityMode } from '../machine/fidelity.js';
import type { Answer } from '../machine/interview.js';
import { type FailureDetails, failure, type Outcome } from '../machine/outcome.js';
import type { Progress, Session } from '../machine/progress.js';
import type { Redactor } from '../secrets/redactor.js';
import type { Artifacts } from './artifacts.js';
import type { RunChild } from './child-runner.js';
import type { Context } from './context.js';
import type { VisitConversation } from './conversation.js';
import type { QuestionDraft } from './question-draft.js';
import type { StageSteering } from './stage-steering.js';

/**
 * Performs one stage (§4.1). It does its work and reports an outcome; routing is not its concern. It is
 * called again for every attempt, and after a crash, so it keeps no state between calls.
 */
export interface Handler {
  /**
   * @returns the outcome; undefined counts as a success only under `auto_status`
   * @throws anything: the engine turns it into a FAIL (§4.12)
   */
  execute(stage: Stage): Promise<Outcome | undefined> | Outcome | undefined;
  /** Set if the work is only simulated, so that repeating it after a power failure costs nothing. */
  readonly isSimulated?: boolean;
  /**
   * Set for handlers of the engine that only read their node and the graph: they receive the program's own, not
   * immutable copies.
   */
  readonly isTrusted?: boolean;
  /** Set if the machine itself does the work: it runs the outgoing edges as branches (§4.8). */
  readonly fansOut?: boolean;
}

/** Everything that a handler receives (§4.1: node, context, graph, logs_root) and may ask for. */
export interface Stage {
  readonly node: Node;
  readonly graph: Graph;
  readonly context: Context;
  readonly runId: string;
  /** Run directory. */
  readonly logsRoot: string;
  /** Directory for the files of this stage. It may not exist yet: `makeStageDirectory` creates it. */
  readonly stageDirectory: string;
  /** Path of that directory, relative to the run directory. @internal */
  readonly path: string;
  /** Default directory for tools: the one in which the run was started. */
  readonly workingDirectory: string;
  /** Routes among which the outcome of the stage can choose. */
  readonly routes: StageRoutes;
  /** Outcome of the stage before, the source of `${result.…}` (SEMANTICS §12). */
  readonly result?: Outcome;
  /** Id of the stage with that outcome, which a diamond passes on. */
  readonly resultNode?: string | undefined;
  /** Stages by their names, the source of `${stages.…}` (SEMANTICS 104). @internal */
  readonly stages?: SeenStages;
  /** True if a missing value fails the stage (`--strict-values`). */
  readonly strictValues?: boolean;
  /** Ordinal of the visit among those of this node, from 1. */
  readonly visit: number;
  /** From 1; a retry is the next attempt of the same visit. */
  readonly attempt: number;
  /**
   * Key of this visit, the same for all its attempts and for no other visit, so that a service can drop
   * duplicates (DESIGN §4).
   */
  readonly idempotencyKey: string;
  /** Aborted when the time is up or the run stops, with the reason. */
  readonly signal: AbortSignal;
  /** Aborted when the run will pause after its running stages, for stages that can stop in between. */
  readonly pauseSignal: AbortSignal;
  /** Carryover of an LLM stage from the run so far; undefined for other stages. */
  readonly carryover?: Carryover;
  /** Storage of large results (§5.5); all stages of the run share it. */
  readonly artifacts: Artifacts;
  /** Removes secrets from texts that the stage writes by other means, or sends to a model (DESIGN §4). */
  readonly redactor?: Redactor;
  makeStageDirectory(): void;
  /** Writes a file of the stage, such as `prompt.md`. */
  writeFile(name: string, text: string): void;
  /** Names a file that has all that the stage said, for `stages.<id>.…`; `response.md` need not be named. @internal */
  keepFile(what: 'response' | 'output', reference: FileReference): void;
  /** Opens an empty file of the stage for writing and reading; the caller closes the descriptor. */
  openFile(name: string): number;
  /** Asks a person and waits for the answer; the question survives the end of the process. */
  ask(question: QuestionDraft): Promise<Answer>;
  /** Asks several questions, one after the other (§6.1, SEMANTICS 75); the answers are in the same order. */
  askMultiple(questions: readonly QuestionDraft[]): Promise<readonly Answer[]>;
  /** Informs a person and continues at once (§6.1); repeated when the stage runs again. */
  inform(message: string): void;
  /** Adds an entry to the run log. */
  log(level: 'info' | 'warning', message: string): void;
  /** Reports progress (§9.6); reports after the end of the attempt are dropped. */
  report(progress: Progress): void;
  /**
   * Checks the budgets; call it before anything that costs money.
   * @throws StageSuspension when a budget of the stage or of the run is used up
   */
  checkBudget(): void;
  /** Waits; rejects when the stage must stop, or when the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /**
   * Waits for something that is not the work of the stage, such as its turn. That time does not count against its `timeout`.
   * @param wait gets a signal that is aborted when the wait must end: the stage stops, or the run pauses
   * @throws StageSuspension when the run pauses: the stage runs again when it is resumed
   * @internal
   */
  standBy?<Result>(wait: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  /**
   * Waits for work on the disk. On a clock on which time jumps it takes no time; nothing else tells such a clock that it is
   * under way.
   * @internal
   */
  holdTime?<Result>(work: Promise<Result>): Promise<Result>;
  /** Runs another pipeline below this stage (§9.4); at most once in an attempt. */
  runChild: RunChild;
  /** True if a budget limits its costs: its own, that of the run, or one of the runs above. @internal */
  readonly isBudgeted: boolean;
  /**
   * Opens the conversation of the visit with its backend (SEMANTICS 123); undefined where the run keeps none.
   * @param prompt the stage's own prompt, without the history before it
   * @internal
   */
  openConversation(prompt: string): VisitConversation | undefined;
  /** Words of people to the model of the stage; call it once in an attempt. @internal */
  readonly steering?: StageSteering;
  /** Marks the work of this attempt as simulated (SEMANTICS 120). @internal */
  markSimulated(): void;
}

/** Carryover of an LLM stage: how much of the earlier stages it receives, and how (§5.4). */
export interface Carryover {
  readonly mode: FidelityMode;
  /** Session that the stage shares with others; only under `full`. */
  readonly thread?: string;
  /** Conversation of that session so far, if a backend has reported one. */
  readonly session?: Session;
  /**
   * Text before the prompt (§9.2); empty as long as there is nothing to tell. Under `full` it is what the session has not seen
   * (SEMANTICS 124).
   * @param beginsAnew true if the session cannot be continued after all: then it is all that it would know
   */
  preamble(beginsAnew?: boolean): Promise<string>;
}

/**
 * Thrown by a handler whose work broke off (a signal, a program that would not start, a missing value). It
 * is a FAIL that no status file can turn into a success (SEMANTICS 59b, 84).
 */
export class StageCrash extends Error {
  readonly outcome: Outcome;

  constructor(
    reason: string,
    details: Pick<FailureDetails, 'retryable' | 'failure_category' | 'context_updates'> = {},
  ) {
    super(reason);
    this.name = 'StageCrash';
    this.outcome = failure(reason, details);
  }
}

/**
 * Reason of a stop: the run pauses, so that the stage will run again later, or its work is no longer
 * wanted.
 */
export class StageStopped extends Error {
  readonly why: 'paused' | 'cancelled';

  constructor(why: 'paused' | 'cancelled', reason: string) {
    super(reason);
    this.name = 'StageStopped';
    this.why = why;
  }
}

/**
 * Thrown by a handler that cannot continue now but can later, for example because its child waits for a
 * person: the run pauses once nothing else can continue, and the stage runs again when it is resumed.
 */
export class StageSuspension extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'StageSuspension';
  }
}
