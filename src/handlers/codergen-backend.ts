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
import type { QuestionDraft } from './question-draft.js';

/**
 * Whatever does the work of an LLM stage (§4.5): a model, a coding agent, a person with a keyboard. A pipeline does not
 * change with its backend.
 */
export interface CodergenBackend {
  /**
   * @param prompt the final text: what the stage is told of the run, then its own prompt with `$goal` expanded
   * @returns the response, which counts as a success, or an outcome of its own; a response that belongs to an outcome may stand next to it
   * @throws an error, which becomes a FAIL; whether it may be tried again is read off it (§3.6)
   */
  run(
    node: Node,
    prompt: string,
    context: Context,
    call: BackendCall,
  ): Promise<string | Outcome | BackendReply>;
  /** Values that it works with and that nothing may show, such as keys: the run keeps them out of its records (DESIGN §4). */
  readonly knownSecrets?: readonly Secret[];
}

/** What a model answered, with the verdict that it gave next to it. */
export interface BackendReply {
  /** The text of the answer, which is kept in full in `response.md`. */
  readonly response: string;
  /** Without one, the response counts as a success (§4.5, SEMANTICS 63). */
  readonly outcome?: Outcome;
  /** Set where no model was called: the stage only pretends to do its work (SEMANTICS 120). */
  readonly simulated?: true;
}

/** The circumstances of one call of a backend. */
export interface BackendCall {
  readonly graph: Graph;
  readonly runId: string;
  /** Aborted when the stage's time is up or the run stops. */
  readonly signal: AbortSignal;
  /** The directory that the stage works on. */
  readonly workingDirectory: string;
  /** The run directory. */
  readonly logsRoot: string;
  /** Where files about the stage belong. It may not exist yet: `makeStageDirectory` creates it. */
  readonly stageDirectory: string;
  /** Whether a budget holds for what it spends: its own, that of the run, or one of the runs above. */
  readonly isBudgeted?: boolean;
  /** How often the node was entered, from 1. */
  readonly visit: number;
  /** From 1; a retry is the next attempt of the same visit. */
  readonly attempt: number;
  /** How much of what went before the stage is told (§5.4). Unless it is `full`, the prompt says it, and the session is fresh. */
  readonly fidelity?: FidelityMode;
  /** Under `full`: which session to continue with; unique in the run. */
  readonly thread?: string;
  /** Under `full`: the conversation of the thread so far, as a backend has reported it; also by an earlier process. */
  readonly session?: Session;
  /** The model that the stage asks for. */
  readonly model: ModelChoice;
  /** What a verdict can choose between; undefined where none is wanted, as for the answer of a fan-in. */
  readonly routes?: StageRoutes;
  /** The environment of programs that work for the stage: the inherited one and the `ATTRACTOR_*` variables (SEMANTICS 95). */
  environment(): Readonly<Record<string, string | undefined>>;
  /** Keeps secrets out of what a backend writes into files of its own, and sends to a model next to the prompt (DESIGN §4). */
  readonly redactor?: Redactor;
  /** Tells of the work as it continues; what is told after the end of the attempt is dropped. */
  report(progress: Progress): void;
  /**
   * To be called before every request that costs something.
   * @throws StageSuspension when a budget is used up: the stage runs again when the run is resumed
   */
  checkBudget(): void;
  /**
   * Puts a question to a person, as for a permission (§6.1). When the stage runs again it is told the answers that were given
   * before, by their number: an answer says with its option what it was given for.
   */
  ask(question: QuestionDraft): Promise<Answer>;
  /** Adds an entry to the run log. */
  log(level: 'info' | 'warning', message: string): void;
  makeStageDirectory(): void;
  /** Writes a file of the stage. */
  writeFile(name: string, text: string): void;
  /** Waits; rejects when the stage is to stop. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}
