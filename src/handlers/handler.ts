import type { Graph, Node } from '../graph/graph.js';
import type { StageRoutes } from '../graph/stage-routes.js';
import type { FidelityMode } from '../machine/fidelity.js';
import type { Answer } from '../machine/interview.js';
import { type FailureDetails, failure, type Outcome } from '../machine/outcome.js';
import type { Progress, Session } from '../machine/progress.js';
import type { Redactor } from '../secrets/redactor.js';
import type { Artifacts } from './artifacts.js';
import type { RunChild } from './child-runner.js';
import type { Context } from './context.js';
import type { QuestionDraft } from './question-draft.js';

/**
 * Performs one stage (§4.1). It does its work and reports an outcome; where control goes then is not its business. It is
 * called again for every attempt, and once more after a crash, so it keeps no state of its own between calls.
 */
export interface Handler {
  /**
   * @returns the outcome, or nothing, which counts as a success only under `auto_status`
   * @throws anything: the engine turns it into a FAIL (§4.12)
   */
  execute(stage: Stage): Promise<Outcome | undefined> | Outcome | undefined;
  /** Set where the work is only pretended, so that doing it again after a power failure costs nothing. */
  readonly isSimulated?: boolean;
  /** Set for handlers of the engine that only read their node: they are given the program's own, not a copy that nobody can change. */
  readonly isTrusted?: boolean;
  /** Set where the machine itself does the work: it runs the outgoing edges as branches (§4.8). */
  readonly fansOut?: boolean;
}

/** Everything that a handler is given (§4.1: node, context, graph, logs_root) and what it may ask for. */
export interface Stage {
  readonly node: Node;
  readonly graph: Graph;
  readonly context: Context;
  readonly runId: string;
  /** The run directory. */
  readonly logsRoot: string;
  /** Where the files of this stage belong. It may not exist yet: `makeStageDirectory` creates it. */
  readonly stageDirectory: string;
  /** Where tools run unless the pipeline says otherwise: the directory in which the run was started. */
  readonly workingDirectory: string;
  /** What the outcome of the stage can choose between. */
  readonly routes: StageRoutes;
  /** The outcome of the stage before, which `${result.…}` is taken from (SEMANTICS §12). */
  readonly result?: Outcome;
  /** Whether a value that is missing fails the stage (`--strict-values`). */
  readonly strictValues?: boolean;
  /** How often the node was entered, from 1. */
  readonly visit: number;
  /** From 1; a retry is the next attempt of the same visit. */
  readonly attempt: number;
  /** Names this visit, the same for all its attempts and for no other visit, so that a service can drop duplicates (DESIGN §4). */
  readonly idempotencyKey: string;
  /** Aborted when the time is up or the run stops; its reason says why. */
  readonly signal: AbortSignal;
  /** Aborted when the run is to pause once its running stages have ended, for stages that can stop in between. */
  readonly pauseSignal: AbortSignal;
  /** What an LLM stage is told of the run so far; other stages have none. */
  readonly carryover?: Carryover;
  /** Where large results are kept (§5.5); all stages of the run share it. */
  readonly artifacts: Artifacts;
  /** Keeps secrets out of what the stage writes by other ways than these, or tells a model (DESIGN §4). */
  readonly redactor?: Redactor;
  makeStageDirectory(): void;
  /** Writes a file of the stage, such as `prompt.md`. */
  writeFile(name: string, text: string): void;
  /** Opens a file of the stage for writing and reading, emptied; the caller closes the descriptor. */
  openFile(name: string): number;
  /** Puts a question to a person and waits for the answer; the question survives the end of the process. */
  ask(question: QuestionDraft): Promise<Answer>;
  /** Puts several questions, one after the other (§6.1, SEMANTICS 75): the answers are in their order. */
  askMultiple(questions: readonly QuestionDraft[]): Promise<readonly Answer[]>;
  /** Tells a person something and continues at once (§6.1); when the stage runs again, it is told again. */
  inform(message: string): void;
  /** Adds an entry to the run log. */
  log(level: 'info' | 'warning', message: string): void;
  /** Tells of the work as it continues (§9.6); what is told after the end of the attempt is dropped. */
  report(progress: Progress): void;
  /**
   * To be called before whatever costs money.
   * @throws StageSuspension when a budget of the stage or of the run is used up
   */
  checkBudget(): void;
  /** Waits; rejects when the stage is to stop, or when the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Runs another pipeline below this stage (§9.4); once in an attempt. */
  runChild: RunChild;
  /**
   * Whether a budget holds for what it spends: its own, that of the run, or one of the runs above.
   * @internal
   */
  readonly isBudgeted: boolean;
  /**
   * Notes that this attempt only pretends to do its work (SEMANTICS 120).
   * @internal
   */
  markSimulated(): void;
}

/** How much of what went before an LLM stage is told, and how (§5.4). */
export interface Carryover {
  readonly mode: FidelityMode;
  /** The session that the stage shares with others; under `full` only. */
  readonly thread?: string;
  /** The conversation of that session so far, where a backend has told of one. */
  readonly session?: Session;
  /** What goes before the prompt (§9.2); empty under `full`, and as long as there is nothing to tell. */
  preamble(): Promise<string>;
}

/**
 * Thrown by a handler whose work was cut off (a signal, a program that would not start, a value that is missing). It is a
 * FAIL that no status file can turn into a success (SEMANTICS 59b, 84).
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

/** Why a stage is told to stop: its run pauses, so that it will run again later, or its work is no longer wanted. */
export class StageStopped extends Error {
  readonly why: 'paused' | 'cancelled';

  constructor(why: 'paused' | 'cancelled', reason: string) {
    super(reason);
    this.name = 'StageStopped';
    this.why = why;
  }
}

/**
 * Thrown by a handler that cannot continue now but can later, as when what it supervises waits for a person: the run pauses
 * once nothing else continues, and the stage runs again when it is resumed.
 */
export class StageSuspension extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'StageSuspension';
  }
}
