import type { Compilation } from '../compiler/compile.js';
import { expectTools } from '../handlers/tools/run-tool.js';
import type { PipelineFiles } from '../lint/named-files.js';
import { refuseCopy } from '../run-directory/copied-run.js';
import { readManifest } from '../run-directory/manifest.js';
import { readPipeline } from '../run-directory/read-pipeline.js';
import { RunError } from '../run-directory/run-error.js';
import { redactedSource } from '../secrets/redact-source.js';
import type { RunResult } from '../view/run-result.js';
import { cancelRun } from './cancel-run.js';
import { inheritSettings } from './children/inherit-settings.js';
import type { RunCall, RunEngine } from './children/run-engine.js';
import { type AttemptHere, performRecordedAttempt } from './elsewhere/perform-attempt.js';
import { pipelineFiles } from './pipeline-files.js';
import { endAsRecorded } from './recording/end-as-recorded.js';
import { driveResumedRun, prepareResume, type ResumedRun } from './resume-run.js';
import type { CommonRunOptions, InvalidPipeline, ResumeOptions, RunOptions } from './run-options.js';
import { compileWith } from './run-parts.js';
import { parseRunSettings, type RunSettings } from './run-settings.js';
import { driveNewRun, type NewRun, prepareRun } from './start-run.js';

export type {
  ChildOrigin,
  CommonRunOptions,
  InvalidPipeline,
  ResumeOptions,
  RunOptions,
  StageText,
} from './run-options.js';

/**
 * Compiles a pipeline and runs it to its end (§3.1): the text itself, or the result of `compile`.
 * @returns the result of the run, whatever its end, or the reason why the pipeline cannot run
 * @throws RunError if the run directory cannot be used, or the options contradict the pipeline
 */
export async function run(
  pipeline: string | Compilation,
  options: RunOptions = {},
): Promise<RunResult | InvalidPipeline> {
  const settings = parseRunSettings(options);
  const { recorded, ports } = settings;
  if (typeof pipeline !== 'string') return startRun(pipeline, settings);
  // The spawner takes as long to start as a large pipeline to compile, and uses another processor.
  if (recorded.simulate !== true && recorded.replay === undefined && pipeline.includes('tool_command'))
    expectTools(1);
  const { text, notice } = redactedSource(pipeline, ports.secrets);
  return startRun(compileWith(text, ports, recorded.sourcePath, filesOf(settings)), settings, { notice });
}

/** Files that the text of a new run may name; a replay has them in the recording. */
function filesOf({ recorded, ports }: RunSettings): PipelineFiles | undefined {
  if (recorded.replay !== undefined) return undefined;
  const { childPolicy, secrets } = ports;
  const refuse = childPolicy && ((file: string) => childPolicy.refusePlace(file, file));
  return pipelineFiles(recorded.sourcePath, { directory: recorded.workingDirectory, secrets, refuse });
}

/**
 * Resumes a run that was paused, cut off, cancelled or failed (§5.3). Without options it continues as it
 * was started: simulated, scripted, approved, with strict values or with custom outcomes if it was.
 * @param directory the run directory
 * @throws RunError if there is no such run, another process or a cluster runs it, or its files are damaged
 */
export async function resume(
  directory: string,
  options: ResumeOptions = {},
): Promise<RunResult | InvalidPipeline> {
  const settings = parseRunSettings(options);
  const { ports } = settings;
  // The manifest first: its error best describes a wrong directory.
  refuseCopy(directory, readManifest(directory, ports.fileSystem));
  return resumeRun(directory, compileWith(readPipeline(directory, ports.fileSystem), ports), settings);
}

/** Runs a pipeline with settings that are parsed already. @internal */
export async function startRun(
  compilation: Compilation,
  settings: RunSettings,
  call: RunCall = {},
): Promise<RunResult | InvalidPipeline> {
  const prepared = await prepareRun(compilation, settings, call);
  return 'kind' in prepared ? drive(prepared) : prepared;
}

/** Resumes a run with settings that are parsed already. @internal */
export async function resumeRun(
  directory: string,
  compilation: Compilation,
  settings: RunSettings,
  call: RunCall = {},
): Promise<RunResult | InvalidPipeline> {
  const prepared = await prepareResume(directory, compilation, settings, call);
  return 'kind' in prepared ? drive(prepared) : prepared;
}

/**
 * Performs one attempt of a stage of a run that another process drives.
 * @throws RunError if the run cannot be continued with these settings
 * @internal
 */
export async function performAttempt(
  directory: string,
  options: ResumeOptions,
  attempt: AttemptHere,
  compiled?: Compilation,
): Promise<void> {
  const given = parseRunSettings(options);
  const { fileSystem } = given.ports;
  const isChild = readManifest(directory, fileSystem).parent !== undefined;
  // What a call says about stages names those of the run, and not those of its children.
  const settings = isChild ? inheritSettings(given) : given;
  const compilation = compiled ?? compileWith(readPipeline(directory, fileSystem), settings.ports);
  const prepared = await prepareResume(directory, compilation, settings, {});
  if (!('kind' in prepared)) throw new RunError('usage', 'its pipeline is not valid here');
  return performRecordedAttempt(prepared, engine, attempt);
}

const engine: RunEngine = { compile: compileWith, start: startRun, resume: resumeRun };

async function drive(run: NewRun | ResumedRun): Promise<RunResult> {
  const result = await (run.kind === 'new' ? driveNewRun(run, engine) : driveResumedRun(run, engine));
  const { ports } = run.settings;
  if (run.depth > 0) return result;
  const { durableLog, cache } = run.call;
  const environment = { ...ports, durableLog, lock: cache?.lock };
  return endAsRecorded(result, run.replayed, compilerWith(ports), environment);
}

/**
 * Cancels a run that no process executes, with those that its stages have started (SEMANTICS 76); one that
 * is executed is cancelled by its `signal`, or by `attractor cancel`. Resuming it continues all the same.
 * @param directory the run directory
 * @throws RunError if there is no such run, it has ended, another process runs it, or its files are damaged
 */
export async function cancel(
  directory: string,
  options: Pick<
    CommonRunOptions,
    | 'handlers'
    | 'transforms'
    | 'rules'
    | 'ruleSettings'
    | 'properties'
    | 'onEvent'
    | 'onNotice'
    | 'clock'
    | 'fileSystem'
  > = {},
): Promise<RunResult | InvalidPipeline> {
  const { ports } = parseRunSettings(options);
  const compiled = compilerWith(ports);
  const { program, diagnostics } = compiled(directory);
  if (program === undefined) return { status: 'invalid', diagnostics };
  return cancelRun(directory, compiled, ports);
}

/** Compiles the pipeline of the run in a directory. */
function compilerWith(ports: RunSettings['ports']): (directory: string) => Compilation {
  return (directory) => compileWith(readPipeline(directory, ports.fileSystem), ports);
}
