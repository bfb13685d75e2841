import type { Diagnostic } from '../diagnostic/diagnostic.js';
import type { SourceText } from '../diagnostic/source.js';
import type { Program } from '../graph/program.js';
import type { NamedProperty } from '../graph/properties/monitor.js';
import type { CodergenBackend } from '../handlers/codergen-backend.js';
import type { ShouldRetry } from '../handlers/error-category.js';
import type { LintRule } from '../lint/rule.js';
import type { RuleSetting } from '../lint/rule-settings.js';
import type { RunEvent } from '../machine/event.js';
import type { OutputChannel } from '../machine/progress.js';
import type { FileSystem } from '../run-directory/file-system.js';
import type { FieldsWith, RecordedSettings } from '../run-directory/recorded-fields.js';
import type { Variables } from '../secrets/find-secrets.js';
import type { TransformLike } from '../transforms/index.js';
import type { Clock } from './driver/clock.js';
import type { HandlerRegistry } from './driver/handler-registry.js';
import type { SecretsOption } from './driver/run-redactor.js';
import type { Interviewer } from './questions/interviewer.js';

/**
 * Ports of a run: functions and signals that a program gives besides the recorded settings. They end with
 * the process.
 */
export interface RunPorts {
  /** Handlers that add to the built-in ones, or replace them (§4.12). */
  readonly handlers?: HandlerRegistry;
  /** Backend of the LLM stages; without one they are simulated (§4.5). */
  readonly backend?: CodergenBackend;
  /** Connection to a person. Without one, a question pauses the run. */
  readonly interviewer?: Interviewer;
  /** Decides before the default predicate if an error of a backend or handler may pass (§3.6). */
  readonly shouldRetry?: ShouldRetry;
  readonly transforms?: readonly TransformLike[];
  readonly rules?: readonly LintRule[];
  /** Severities that differ from the rules' own. */
  readonly ruleSettings?: ReadonlyMap<string, RuleSetting>;
  /** Properties besides those of the pipeline (SEMANTICS 144); pipelines below have those of the configuration too. */
  readonly properties?: readonly NamedProperty[];
  /** Called with every event, once it is in the journal (§9.6). */
  readonly onEvent?: (event: RunEvent) => void;
  /** Called with every event of the runs that stages of this one run (§9.4), at every depth. */
  readonly onChildEvent?: (event: RunEvent, origin: ChildOrigin) => void;
  /**
   * Called with the text of models, of this run and of those below it, as it comes: `StageOutput` has it in larger
   * pieces, and later. It has no secrets.
   */
  readonly onText?: (text: StageText) => void;
  /** Called with notices for people before a run continues. */
  readonly onNotice?: (message: string) => void;
  /** Aborting it cancels the run. */
  readonly signal?: AbortSignal;
  /**
   * Aborting it pauses the run, so that it can be resumed: when the running stages have ended, or at once
   * if the reason of the abortion is `{ mode: 'now' }`; they run again then. The reason may also have a
   * `reason` for people.
   */
  readonly pauseSignal?: AbortSignal;
  /**
   * Values that the run keeps out of its files, its output and its requests to models, besides those in the
   * environment of the process: at least 8 characters each. `false` hides nothing.
   */
  readonly secrets?: SecretsOption;
  /**
   * Environment for `env_requires`, such as one with the keys of a key file; by default that of the process.
   */
  readonly variables?: Variables;
  /** Judges the pipelines that stages of this run want to run, and those of their stages, at every depth. */
  readonly childPolicy?: ChildPolicy;
  readonly bounds?: RunBounds;
  /** Clock; by default that of this machine, in a simulation a `virtualClock` with its seed. */
  readonly clock?: Clock;
  /** File system of the run directory; by default that of this machine. For tests, which can let it fail. */
  readonly fileSystem?: FileSystem;
}

/** Bounds of whoever executes a run, over the limits of its pipeline: they hold for the run and for all runs below it (§9.4). */
export interface RunBounds {
  /** The command whose flags set them, for messages. */
  readonly setBy: string;
  /** Levels of pipelines inside the run. */
  readonly maxDepth?: number;
  /** Stages of the run, and of each run below it. */
  readonly maxSteps?: number;
  /** Cost of the run with the runs below it, in US dollars. */
  readonly budgetUsd?: number;
}

type Fixed = FieldsWith<{ onResume: 'fixed' }>;
type OfResume = FieldsWith<{ onResume: 'only' }>;

/** Options that `run` and `resume` share: the fields of `RunSettings`. */
export interface CommonRunOptions extends Omit<RecordedSettings, Fixed | OfResume>, RunPorts {}

export interface RunOptions extends CommonRunOptions, Pick<RecordedSettings, Fixed> {}

export interface ResumeOptions extends CommonRunOptions, Pick<RecordedSettings, OfResume> {}

/** Result of `run` for a pipeline that lint refuses (SEMANTICS 93): nothing was executed or created. */
export interface InvalidPipeline {
  readonly status: 'invalid';
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Decides if a pipeline may run that a stage wants to run (§9.4); each method returns the reason why it may
 * not.
 */
export interface ChildPolicy {
  /** Called before the file is read; both paths are absolute. */
  refusePlace(file: string, workingDirectory: string): string | undefined;
  /** Called before the run begins, and before it continues. */
  refuseProgram(
    pipeline: { readonly program: Program; readonly source: SourceText },
    run: { readonly isSimulated: boolean },
  ): string | undefined;
}

/** Text that a stage's model has just produced. */
export interface StageText {
  readonly run_id: string;
  readonly node_id: string;
  readonly branch: string | undefined;
  readonly channel: OutputChannel;
  readonly text: string;
}

/** Origin of an event of a child run. */
export interface ChildOrigin {
  /** Node ids that run it: first of the run that was started, then of its child, and so on. */
  readonly path: readonly string[];
  /** Its run directory. */
  readonly directory: string;
  readonly program: Program;
}
