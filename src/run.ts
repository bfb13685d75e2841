import path from 'node:path';
import { type Compilation, compile } from './compile.js';
import type { Diagnostic } from './diagnostic/diagnostic.js';
import type { CodergenBackend } from './engine/handlers/codergen-backend.js';
import type { ShouldRetry } from './engine/handlers/error-category.js';
import type { Handler } from './engine/handlers/handler.js';
import type { RunEvent } from './engine/machine/event.js';
import type { RunState } from './engine/machine/state.js';
import { cancelRun } from './engine/runtime/cancel-run.js';
import { checkAnswers, checkScript, checkStart } from './engine/runtime/check-options.js';
import { type Clock, systemClock } from './engine/runtime/clock.js';
import type { ExtensionRecord } from './engine/runtime/extension-record.js';
import { type FileSystem, nodeFileSystem } from './engine/runtime/file-system.js';
import { HandlerRegistry } from './engine/runtime/handler-registry.js';
import { absentInterviewer, type Interviewer } from './engine/runtime/interviewer.js';
import { readManifest } from './engine/runtime/manifest.js';
import {
  checkPipeline,
  checkRecordedScript,
  readPipeline,
  resumeRun,
  scriptOf,
} from './engine/runtime/resume-run.js';
import { newRunId } from './engine/runtime/run-id.js';
import type { RunResult } from './engine/runtime/run-result.js';
import type { RunEnvironment } from './engine/runtime/run-session.js';
import { scriptedInterviewer } from './engine/runtime/scripted-interviewer.js';
import { emptyScript, type SimulationScript } from './engine/runtime/simulation-script.js';
import { startRun } from './engine/runtime/start-run.js';
import type { JsonValue } from './graph/json.js';
import type { Program } from './graph/program.js';
import { unsupportedFeatures } from './graph/unsupported-features.js';
import { autoApproveInterviewer } from './interviewers/auto-approve.js';
import type { LintRule } from './lint/rule.js';
import type { RuleSetting } from './lint/rule-settings.js';
import type { TransformLike } from './transforms/index.js';
import { version } from './version.js';

/** What starting and resuming have in common. */
export interface CommonRunOptions {
  /** Handlers beside the built-in ones, or in their place (§4.12). */
  readonly handlers?: HandlerRegistry;
  /** Does the work of the LLM stages; without one they are simulated (§4.5). */
  readonly backend?: CodergenBackend;
  /** The way to a person. Without one, a question pauses the run. */
  readonly interviewer?: Interviewer;
  /** Answers all questions with yes, or with the first choice (§6.4). */
  readonly autoApprove?: boolean;
  /** Answers by node id, one an expected question, matched as a person's answer would be. */
  readonly answers?: ReadonlyMap<string, readonly string[]>;
  /** Scripted outcomes and answers (DESIGN §5); for a run that is resumed, instead of those that it was started with. */
  readonly script?: SimulationScript;
  /** Set as `inputs.<key>` and `<key>` in the context (SEMANTICS 97). */
  readonly inputs?: Readonly<Record<string, JsonValue>>;
  /** Every stage that would do real work only pretends to (DESIGN §5). */
  readonly simulate?: boolean;
  /** Overrides the graph's `max_steps`. */
  readonly maxSteps?: number;
  /** A stage fails that is to be given a value which the run does not have; otherwise an empty text stands in for it. */
  readonly strictValues?: boolean;
  /** Asked before the default predicate whether an error that a backend or handler threw may pass (§3.6). */
  readonly shouldRetry?: ShouldRetry;
  /** Outcomes may be words of their own, which count as successes and which conditions see (SEMANTICS 44g). */
  readonly customOutcomes?: boolean;
  readonly transforms?: readonly TransformLike[];
  readonly rules?: readonly LintRule[];
  /** Other severities than the rules have. */
  readonly ruleSettings?: ReadonlyMap<string, RuleSetting>;
  /** Called with every event, once it is in the journal (§9.6). */
  readonly onEvent?: (event: RunEvent) => void;
  /** Told what a person should know before a run goes on. */
  readonly onNotice?: (message: string) => void;
  /** Aborting it cancels the run. */
  readonly signal?: AbortSignal;
  /**
   * Aborting it pauses the run, so that it can be resumed: when the stages that are running have ended, or at once where
   * the reason of the abortion is `{ mode: 'now' }`; they run again then. The reason may also have a `reason` for people.
   */
  readonly pauseSignal?: AbortSignal;
  readonly clock?: Clock;
  /** Where the run directory is; by default the file system of this machine. For tests, which can let it fail. */
  readonly fileSystem?: FileSystem;
}

export interface RunOptions extends CommonRunOptions {
  /** The run directory itself; by default a new one below `.attractor/runs`. */
  readonly runDirectory?: string;
  /** Where tools run, and where `.attractor` is; by default the current directory of the process. */
  readonly workingDirectory?: string;
  /** The file that the text came from, for the manifest and for messages. */
  readonly sourcePath?: string;
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

/**
 * Compiles a pipeline and runs it to its end (§3.1): the text itself, or what `compile` made of it.
 * @returns the result of the run, however it ended, or why the pipeline cannot run
 * @throws RunError where the run directory cannot be used, or the options contradict the pipeline
 */
export async function run(
  pipeline: string | Compilation,
  options: RunOptions = {},
): Promise<RunResult | InvalidPipeline> {
  const compilation = typeof pipeline === 'string' ? compileWith(pipeline, options) : pipeline;
  const prepared = prepare(compilation, options);
  if ('status' in prepared) return prepared;
  const { program, handlers } = prepared;
  checkAnswers(program, options.answers ?? new Map());
  checkScript(program, options.script ?? emptyScript);
  const script = mergeAnswers(options.script ?? emptyScript, options.answers);
  const clock = options.clock ?? systemClock;
  const workingDirectory = path.resolve(options.workingDirectory ?? '.');
  const runId = newRunId(program.graph.name, clock);
  const simulate = options.simulate ?? false;
  const autoApprove = options.autoApprove ?? false;
  const interviewer = interviewerFor(options.interviewer, script.answers, autoApprove, simulate, () => 0);
  return startRun(
    {
      program,
      source: compilation.source.text,
      sourcePath: options.sourcePath,
      runId,
      directory: options.runDirectory ?? path.join(workingDirectory, '.attractor', 'runs', runId),
      workingDirectory,
      inputs: options.inputs ?? {},
      maxSteps: options.maxSteps,
      strictValues: options.strictValues ?? false,
      simulate,
      autoApprove,
      script,
      extensions: options.extensions,
      version,
    },
    { ...environmentOf(options), handlers, interviewer, clock },
  );
}

/**
 * Goes on with a run that was paused, cut off, cancelled or failed (§5.3). Without options it goes on as it was started:
 * simulated, scripted, approved or with strict values where it was.
 * @param directory the run directory
 * @throws RunError where there is no such run, another process runs it, or what is on disk is damaged
 */
export async function resume(
  directory: string,
  options: ResumeOptions = {},
): Promise<RunResult | InvalidPipeline> {
  const { fileSystem = nodeFileSystem } = options;
  const manifest = readManifest(directory, fileSystem);
  const compilation = compileWith(readPipeline(directory, fileSystem), options);
  checkPipeline(directory, manifest, compilation.graph);
  const prepared = prepare(compilation, options);
  if ('status' in prepared) return prepared;
  const { program, handlers } = prepared;
  const answers = options.answers ?? new Map<string, readonly string[]>();
  checkAnswers(program, answers);
  const simulate = options.simulate ?? manifest.options.simulate;
  const autoApprove = options.autoApprove ?? manifest.options.auto_approve;
  const script = options.script ?? scriptOf(manifest);
  if (script === options.script) checkScript(program, script);
  else checkRecordedScript(directory, program, script);
  checkStart(program, options.from);
  const strictValues = options.strictValues ?? manifest.options.strict_values;
  const scripted = new Map([...script.answers].filter(([nodeId]) => !answers.has(nodeId)));
  const { maxSteps, from, inputs } = options;
  const interrupted = { directory, manifest, program, maxSteps, simulate, script, from, inputs };
  const environmentFor = (state: RunState): RunEnvironment => {
    const fresh = scriptedInterviewer(
      scripted,
      interviewerFor(options.interviewer, new Map(), autoApprove, simulate, () => 0),
      (nodeId) => state.answers.get(nodeId) ?? 0,
    );
    return {
      ...environmentOf({ ...options, ...(strictValues !== undefined && { strictValues }) }),
      handlers,
      interviewer: scriptedInterviewer(answers, fresh, () => 0),
      clock: options.clock ?? systemClock,
    };
  };
  return resumeRun(interrupted, environmentFor, fileSystem);
}

/**
 * Cancels a run that no process executes (SEMANTICS 76); one that is executed is cancelled by its `signal`, or by
 * `attractor cancel`. Resuming it goes on all the same.
 * @param directory the run directory
 * @throws RunError where there is no such run, it has ended, another process runs it, or what is on disk is damaged
 */
export async function cancel(
  directory: string,
  options: Pick<
    CommonRunOptions,
    'handlers' | 'transforms' | 'rules' | 'ruleSettings' | 'onEvent' | 'clock' | 'fileSystem'
  > = {},
): Promise<RunResult | InvalidPipeline> {
  const { program, diagnostics } = compileWith(readPipeline(directory, options.fileSystem), options);
  return program === undefined ? { status: 'invalid', diagnostics } : cancelRun(directory, program, options);
}

function compileWith(
  text: string,
  options: CommonRunOptions & { readonly sourcePath?: string },
): Compilation {
  return compile(text, {
    ...(options.sourcePath !== undefined && { name: options.sourcePath }),
    ...(options.transforms && { transforms: options.transforms }),
    ...(options.rules && { rules: options.rules }),
    ...(options.handlers && { handlerTypes: options.handlers.types }),
    ...(options.ruleSettings && { ruleSettings: options.ruleSettings }),
  });
}

interface Runnable {
  readonly program: Program;
  readonly handlers: ReadonlyMap<string, Handler>;
}

/** A pipeline with errors does not run (§7.1), nor does one with something that this version cannot execute. */
function prepare(compilation: Compilation, options: CommonRunOptions): Runnable | InvalidPipeline {
  const { program, diagnostics } = compilation;
  if (program === undefined) return { status: 'invalid', diagnostics };
  const handlers = (options.handlers ?? new HandlerRegistry()).handlers(options.backend);
  const unsupported = unsupportedFeatures(program, handlers);
  return unsupported.length > 0 ? { status: 'invalid', diagnostics: unsupported } : { program, handlers };
}

function environmentOf(options: CommonRunOptions) {
  const { onEvent, onNotice, signal, pauseSignal, fileSystem } = options;
  const { strictValues, shouldRetry, customOutcomes } = options;
  const ports = { onEvent, onNotice, signal, pauseSignal, fileSystem } satisfies Partial<RunEnvironment>;
  return { ...ports, strictValues, shouldRetry, customOutcomes };
}

/** Scripted answers first; then, for a run without people, approval; else the person. */
function interviewerFor(
  person: Interviewer | undefined,
  answers: ReadonlyMap<string, readonly string[]>,
  autoApprove: boolean,
  simulate: boolean,
  answeredBefore: (nodeId: string) => number,
): Interviewer {
  const inner = autoApprove || simulate ? autoApproveInterviewer : (person ?? absentInterviewer);
  return scriptedInterviewer(answers, inner, answeredBefore);
}

function mergeAnswers(
  script: SimulationScript,
  answers: ReadonlyMap<string, readonly string[]> | undefined,
): SimulationScript {
  return answers === undefined
    ? script
    : { nodes: script.nodes, answers: new Map([...script.answers, ...answers]) };
}
