import type { Diagnostic } from '../diagnostic/diagnostic.js';
import type { SourceText } from '../diagnostic/source.js';
import type { JsonValue } from '../graph/json.js';
import type { Program } from '../graph/program.js';
import type { CodergenBackend } from '../handlers/codergen-backend.js';
import type { ShouldRetry } from '../handlers/error-category.js';
import type { LintRule } from '../lint/rule.js';
import type { RuleSetting } from '../lint/rule-settings.js';
import type { RunEvent } from '../machine/event.js';
import type { ExtensionRecord } from '../run-directory/extension-record.js';
import type { FileSystem } from '../run-directory/file-system.js';
import type { SimulationScript } from '../run-directory/simulation-script.js';
import type { TransformLike } from '../transforms/index.js';
import type { Clock } from './driver/clock.js';
import type { HandlerRegistry } from './driver/handler-registry.js';
import type { SecretsOption } from './driver/run-redactor.js';
import type { Interviewer } from './questions/interviewer.js';

/** What starting and resuming have in common. */
export interface CommonRunOptions {
  /** Handlers beside the built-in ones, or in their place (§4.12). */
  readonly handlers?: HandlerRegistry;
  /** Does the work of the LLM stages; without one they are simulated (§4.5). */
  readonly backend?: CodergenBackend;
  /** The way to a person. Without one, a question pauses the run. */
  readonly interviewer?: Interviewer;
  /**
   * Answers questions with yes, or with the first choice (§6.4); but whether a stage that was cut off and says
   * `idempotent=false` is to run again, the interviewer is asked.
   */
  readonly autoApprove?: boolean;
  /**
   * Answers by node id, one an expected question, matched as a person's answer would be. `<node>/<node>` is a stage of the
   * pipeline that a node runs.
   */
  readonly answers?: ReadonlyMap<string, readonly string[]>;
  /** Scripted outcomes and answers (DESIGN §5); for a run that is resumed, instead of those that it was started with. */
  readonly script?: SimulationScript;
  /** Set as `inputs.<key>` and `<key>` in the context (SEMANTICS 97). */
  readonly inputs?: Readonly<Record<string, JsonValue>>;
  /**
   * Every stage that would do real work only pretends to (DESIGN §5). A run that is resumed keeps to what it did before,
   * unless it is told otherwise; then it keeps to that.
   */
  readonly simulate?: boolean;
  /**
   * Of a simulation: decides the order in which branches go on that are ready at the same time, and the spread of pauses.
   * Without one they go on in the order in which they became ready. The same pipeline, script and seed give the same run.
   */
  readonly seed?: number;
  /** Overrides the graph's `max_steps`. */
  readonly maxSteps?: number;
  /** What the run may cost in US dollars, all stages together; overrides the graph's `budget_usd` (SEMANTICS §12). */
  readonly budgetUsd?: number;
  /** How many tokens the run may use; overrides the graph's `budget_tokens`. */
  readonly budgetTokens?: number;
  /** A stage fails that is to be given a value which the run does not have; otherwise an empty text stands in for it. */
  readonly strictValues?: boolean;
  /** Asked before the default predicate whether an error that a backend or handler threw may pass (§3.6). */
  readonly shouldRetry?: ShouldRetry;
  /** Outcomes may be words of their own, which count as successes and which conditions see (SEMANTICS 44g). */
  readonly customOutcomes?: boolean;
  /**
   * Writes down what stages have to do with models, agents and tools, so that the run can be played back. A run that is
   * resumed goes on doing so where it did before; child runs do as the run above them.
   */
  readonly record?: boolean;
  readonly transforms?: readonly TransformLike[];
  readonly rules?: readonly LintRule[];
  /** Other severities than the rules have. */
  readonly ruleSettings?: ReadonlyMap<string, RuleSetting>;
  /** Called with every event, once it is in the journal (§9.6). */
  readonly onEvent?: (event: RunEvent) => void;
  /** Called with every event of the runs that stages of this one run (§9.4), at every depth. */
  readonly onChildEvent?: (event: RunEvent, origin: ChildOrigin) => void;
  /** Told what a person should know before a run goes on. */
  readonly onNotice?: (message: string) => void;
  /** Aborting it cancels the run. */
  readonly signal?: AbortSignal;
  /**
   * Aborting it pauses the run, so that it can be resumed: when the stages that are running have ended, or at once where
   * the reason of the abortion is `{ mode: 'now' }`; they run again then. The reason may also have a `reason` for people.
   */
  readonly pauseSignal?: AbortSignal;
  /**
   * Values that the run keeps out of all that it writes, shows and tells a model, beside those that the environment of the
   * process has: at least 8 characters each. `false` hides nothing.
   */
  readonly secrets?: SecretsOption;
  /** Judges the pipelines that stages of this run want to run, and those that stages of these want, at every depth. */
  readonly childPolicy?: ChildPolicy;
  /** By default the one of this machine; of a simulation a `virtualClock` with its seed. */
  readonly clock?: Clock;
  /** Where the run directory is; by default the file system of this machine. For tests, which can let it fail. */
  readonly fileSystem?: FileSystem;
}

export interface RunOptions extends CommonRunOptions {
  /** What the run is called, which nothing else may be; by default a new name. Without `runDirectory` its directory is called so too. */
  readonly runId?: string;
  /** The run directory itself; by default a new one below `.attractor/runs`. */
  readonly runDirectory?: string;
  /** Where tools run, and where `.attractor` is; by default the current directory of the process. */
  readonly workingDirectory?: string;
  /** Whether git keeps the files of the stages; overrides the graph's `git` (docs/git.md). */
  readonly git?: boolean;
  /** The file that the text came from, for the manifest and for messages. */
  readonly sourcePath?: string;
  /**
   * The directory of a recorded run that is played back: nothing real is done, and its inputs, its script and its limits hold
   * unless others are given. A stage that asks for something else than was recorded fails, and with it the run.
   */
  readonly replay?: string;
  /** Where the handlers and the rest come from, kept in the manifest for whoever resumes the run. */
  readonly extensions?: ExtensionRecord;
}

export interface ResumeOptions extends CommonRunOptions {
  /** The node to go on at, instead of where the run stopped (SEMANTICS 66b). */
  readonly from?: string;
}

/** What `run` gives for a pipeline that lint refuses (SEMANTICS 93): nothing was executed or created. */
export interface InvalidPipeline {
  readonly status: 'invalid';
  readonly diagnostics: readonly Diagnostic[];
}

/** Whether a pipeline may run that a stage wants to run (§9.4); each says why it may not. */
export interface ChildPolicy {
  /** Asked before the file is read; both paths are absolute. */
  refusePlace(file: string, workingDirectory: string): string | undefined;
  /** Asked before the run begins, and before it goes on. */
  refuseProgram(
    pipeline: { readonly program: Program; readonly source: SourceText },
    run: { readonly isSimulated: boolean },
  ): string | undefined;
}

/** Where an event of a child run comes from. */
export interface ChildOrigin {
  /** The nodes that run it: of the run that was started, then of its child, and so on. */
  readonly path: readonly string[];
  /** Its run directory. */
  readonly directory: string;
  readonly program: Program;
}
