import type { Graph, Node } from '../graph/graph.js';
import type { ModelChoice } from '../graph/model-choice.js';
import type { StageRoutes } from '../graph/stage-routes.js';
import type { FidelityMode } from '../machine/fidelity.js';
import type { Answer } from '../machine/interview.js';
import type { Outcome } from '../machine/outcome.js';
import type { Progress, Session } from '../machine/progress.js';
import type { Redactor } from '../secrets/redactor.js';
import type { Secret } from '../secrets/secret.js';
import type { Context } from './context.js';
import type { BackendConversation } from './conversation.js';
import type { QuestionDraft } from './question-draft.js';
import type { StageSteering } from './stage-steering.js';

/**
 * Worker of LLM stages (§4.5): a model, a coding agent, a person with a keyboard. A pipeline does not
 * depend on its backend.
 */
export interface CodergenBackend {
  /**
   * @param prompt the final text: the preamble about the run, then the stage's own prompt with `$goal`
   * expanded
   * @returns the response, which counts as a success, or an outcome, or both together
   * @throws an error, which becomes a FAIL; its fields decide if it may be retried (§3.6)
   */
  run(
    node: Node,
    prompt: string,
    context: Context,
    call: BackendCall,
  ): Promise<string | Outcome | BackendReply>;
  /**
   * True if the worker of a stage can read files by their absolute paths, those of its run directory too: a value that is too
   * long for a prompt comes in a file (SEMANTICS 104). Without it, such a stage fails.
   */
  readsFiles?(node: Node, call: BackendCall): boolean | Promise<boolean>;
  /**
   * False if the work on a stage that asks for this model costs nothing, as in a simulation: a run whose
   * stages may cost money has a budget by default (SEMANTICS 126). Without it, each stage may.
   */
  mayCost?(model: ModelChoice): boolean;
  /**
   * Name of the provider, or of the coding agent, that does a stage, as the limits of a cluster name it; undefined if there is nothing to
   * limit. Without it, it is the provider that the stage names.
   */
  providerOf?(call: Pick<BackendCall, 'model' | 'isBudgeted'>): string | undefined;
  /** Secret values that it uses, such as keys: the run keeps them out of its records (DESIGN §4). */
  readonly knownSecrets?: readonly Secret[];
}

/** Answer of a model, with its verdict. */
export interface BackendReply {
  /** Text of the answer, which is kept in full in `response.md`. */
  readonly response: string;
  /** Outcome; without one, the response counts as a success (§4.5, SEMANTICS 63). */
  readonly outcome?: Outcome;
  /** Set if no model was called: the work of the stage is simulated (SEMANTICS 120). */
  readonly simulated?: true;
}

/** Details of one call of a backend. */
export interface BackendCall {
  readonly graph: Graph;
  readonly runId: string;
  /** Aborted when the stage's time is up or the run stops. */
  readonly signal: AbortSignal;
  /** Directory that the stage works on. */
  readonly workingDirectory: string;
  /** Run directory. */
  readonly logsRoot: string;
  /** Directory for files about the stage. It may not exist yet: `makeStageDirectory` creates it. */
  readonly stageDirectory: string;
  /** True if a budget limits its costs: its own, that of the run, or one of the runs above. */
  readonly isBudgeted?: boolean;
  /** Ordinal of the visit among those of this node, from 1. */
  readonly visit: number;
  /** From 1; a retry is the next attempt of the same visit. */
  readonly attempt: number;
  /**
   * Fidelity: how much of the earlier stages it receives (§5.4). The prompt contains it; under `full` only what the
   * `session` has not seen, and otherwise the session is fresh.
   */
  readonly fidelity?: FidelityMode;
  /** Session to continue under `full`; unique in the run. */
  readonly thread?: string;
  /**
   * Conversation of the thread so far under `full`, as a backend has reported it, perhaps in an earlier
   * process.
   */
  readonly session?: Session;
  /**
   * Prompt for a conversation that begins although there is a `session`, which cannot be continued (SEMANTICS 124): it tells
   * what the session would know. Call it before the conversation begins, and send it in place of the prompt.
   */
  promptForNewSession?(): Promise<string>;
  /** System prompt of the author; the same in all stages of the run (SEMANTICS 130). */
  readonly systemPrompt?: string | undefined;
  /** Model that the stage asks for. */
  readonly model: ModelChoice;
  /** Routes for a verdict; undefined if none is wanted, as for the answer of a fan-in. */
  readonly routes?: StageRoutes;
  /**
   * Environment for programs that work for the stage: the inherited one and the `ATTRACTOR_*` variables
   * (SEMANTICS 95).
   */
  environment(): Readonly<Record<string, string | undefined>>;
  /**
   * Removes secrets from files that a backend writes itself, and from texts that it sends to a model
   * besides the prompt (DESIGN §4).
   */
  readonly redactor?: Redactor;
  /** Conversation of the visit, which an attempt that ended without an answer leaves to the next one (SEMANTICS 123). */
  readonly conversation?: BackendConversation | undefined;
  /** Words of people to the model while the stage runs. */
  readonly steering?: StageSteering | undefined;
  /** Reports progress; reports after the end of the attempt are dropped. */
  report(progress: Progress): void;
  /**
   * Checks the budgets; call it before every request that costs something.
   * @throws StageSuspension when a budget is used up: the stage runs again when the run is resumed
   */
  checkBudget(): void;
  /**
   * Asks a person, for example for permission (§6.1). When the stage runs again, it receives the earlier
   * answers by the number of the question: the option of an answer should name the request that it was
   * given for.
   */
  ask(question: QuestionDraft): Promise<Answer>;
  /** Adds an entry to the run log. */
  log(level: 'info' | 'warning', message: string): void;
  makeStageDirectory(): void;
  /** Writes a file of the stage. */
  writeFile(name: string, text: string): void;
  /** Waits; rejects when the stage must stop. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Waits for something that is not the work of the stage: `Stage.standBy`. @internal */
  standBy?<Result>(wait: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
}
