import path from 'node:path';
import type { Compilation } from '../compiler/compile.js';
import { expectTools } from '../handlers/tools/run-tool.js';
import type { RunState } from '../machine/state.js';
import { nodeFileSystem } from '../run-directory/file-system.js';
import { readManifest } from '../run-directory/manifest.js';
import { readPipeline } from '../run-directory/read-pipeline.js';
import { emptyScript } from '../run-directory/simulation-script.js';
import { redactedSource } from '../secrets/redact-source.js';
import { version } from '../version.js';
import type { RunResult } from '../view/run-result.js';
import { openWorkspace, planFiles, wantsGit } from '../workspaces/keep-files.js';
import { cancelRun } from './cancel-run.js';
import { checkOptions, checkStart } from './check-options.js';
import { checkChildren } from './children/check-children.js';
import { inheritedOptions, levelsOf } from './children/child-setting.js';
import type { NewChildCall, OldChildCall, RunEngine } from './children/run-engine.js';
import { childStarter } from './children/start-child.js';
import type { Continuation } from './continuation.js';
import { clockFrom } from './driver/clock.js';
import { checkBackend, checkHandlerTypes, meansBefore, missingMeansNotice, newMeans } from './means.js';
import { optionsAsBefore } from './options-as-before.js';
import { scriptedInterviewer } from './questions/scripted-interviewer.js';
import { type RunInputs, readInputs } from './read-inputs.js';
import { answeredAsRecorded, asRecorded } from './recording/as-recorded.js';
import { endAsRecorded } from './recording/end-as-recorded.js';
import { asPlayedBack } from './recording/lifted-budgets.js';
import { replaySource, sourceAgain } from './recording/replay-source.js';
import { refuseSecrets } from './refuse-secrets.js';
import { checkPipeline, checkRecordedScript, resumeRun, scriptOf } from './resume-run.js';
import type { CommonRunOptions, InvalidPipeline, ResumeOptions, RunOptions } from './run-options.js';
import {
  clockAgain,
  clockOf,
  compileWith,
  environmentOf,
  handlersOf,
  inputsOf,
  interviewerFor,
  meansOf,
  mergeAnswers,
  type NewPlace,
  newPlace,
  outsideOf,
  prepare,
  replayAgain,
  replayIn,
  toolsAtOnce,
  withRedactor,
} from './run-parts.js';
import type { RunEnvironment } from './run-session.js';
import { checkAnswers, checkScript, checkSeed } from './simulate/check-script.js';
import { startRun } from './start-run.js';
import { toldOnce } from './told-once.js';

export type {
  ChildOrigin,
  CommonRunOptions,
  InvalidPipeline,
  ResumeOptions,
  RunOptions,
} from './run-options.js';

/**
 * Compiles a pipeline and runs it to its end (§3.1): the text itself, or what `compile` made of it.
 * @returns the result of the run, however it ended, or why the pipeline cannot run
 * @throws RunError where the run directory cannot be used, or the options contradict the pipeline
 */
export async function run(
  pipeline: string | Compilation,
  given: RunOptions = {},
): Promise<RunResult | InvalidPipeline> {
  const options = withRedactor(given);
  if (typeof pipeline !== 'string') return begin(pipeline, options);
  // What starts tools takes as long to start as a large pipeline to compile, and needs another processor for it.
  if (options.simulate !== true && options.replay === undefined && pipeline.includes('tool_command'))
    expectTools(1);
  const { text, notice } = redactedSource(pipeline, options.secrets);
  return begin(compileWith(text, options), options, { notice });
}

/**
 * Goes on with a run that was paused, cut off, cancelled or failed (§5.3). Without options it goes on as it was started:
 * simulated, scripted, approved, with strict values or with outcomes of its own words where it was.
 * @param directory the run directory
 * @throws RunError where there is no such run, another process runs it, or what is on disk is damaged
 */
export async function resume(
  directory: string,
  given: ResumeOptions = {},
): Promise<RunResult | InvalidPipeline> {
  const options = withRedactor(given);
  // The manifest first: it says best what is wrong with a directory.
  readManifest(directory, options.fileSystem);
  return goOn(directory, compileWith(readPipeline(directory, options.fileSystem), options), options);
}

const engine: RunEngine = { compile: compileWith, start: begin, goOn };

/**
 * Begins a run.
 * @param call what is known of it beside its options
 * @internal
 */
export async function begin(
  compilation: Compilation,
  bare: RunOptions,
  call: Partial<NewChildCall> & {
    readonly place?: NewPlace;
    readonly inputs?: RunInputs | undefined;
    /** What a person should know of its text. */
    readonly notice?: string | undefined;
  } = {},
): Promise<RunResult | InvalidPipeline> {
  checkOptions(bare);
  const given = withRedactor(bare);
  const prepared = prepare(compilation, given);
  if ('status' in prepared) return prepared;
  refuseSecrets(prepared.program.graph, given.secrets);
  const source = given.replay === undefined ? call.replay?.() : replaySource(given.replay, given.fileSystem);
  const options = source === undefined ? given : asRecorded(given, source);
  const program = asPlayedBack(prepared.program, source);
  if (options.simulate !== true && source === undefined) expectTools(toolsAtOnce(prepared));
  checkAnswers(program, options.answers ?? new Map());
  checkScript(program, options.script ?? emptyScript);
  const script = mergeAnswers(options.script ?? emptyScript, options.answers);
  const { simulate = false, autoApprove = false, seed, sourcePath, maxSteps, extensions } = options;
  const { budgetUsd, budgetTokens } = options;
  checkSeed(seed, simulate);
  const inputs = call.inputs ?? inputsOf(options) ?? readInputs({});
  const clock = clockOf(options);
  const workingDirectory = path.resolve(options.workingDirectory ?? '.');
  const { runId, directory } = call.place ?? newPlace(program.graph.name, options, clock);
  const here = { runId, directory, workingDirectory, clock };
  const replay = replayIn(source, options, here);
  const outside = outsideOf(options, replay, here);
  const handlers = handlersOf(options, outside);
  const interviewer = interviewerFor(options.interviewer, script.answers, autoApprove, simulate, () => 0);
  const levels = levelsOf(program, call.lineage);
  const place = { source: sourcePath, workingDirectory };
  const means = source === undefined ? meansOf(options, simulate) : meansBefore(source.recorded.manifest);
  const onNotice = toldOnce(options.onNotice);
  const plan = await planFiles({ program, git: options.git, simulate, workingDirectory, directory });
  const git = plan?.origin;
  const notices = [...(plan?.notices ?? []), ...(call.notice === undefined ? [] : [call.notice])];
  for (const notice of notices) onNotice(notice);
  const workspace = await openWorkspace({ program, directory, runId, git, simulate });
  const remark = missingMeansNotice({ program, script, simulate }, means);
  const startChild = childStarter(
    { options: { ...options, clock, onNotice }, script, given: {}, place, replay, ...levels },
    engine,
  );
  const result = await startRun(
    {
      program,
      // Its graph has no secret, but a comment may have one.
      source: given.secrets.text(compilation.source.text),
      runId,
      directory,
      inputs: inputs.values,
      ...{ sourcePath, workingDirectory, maxSteps, simulate, autoApprove, script, seed, extensions, version },
      ...{ budgetUsd, budgetTokens },
      strictValues: options.strictValues ?? false,
      customOutcomes: options.customOutcomes ?? false,
      means,
      git,
      record: options.record,
      replayOf: source && path.resolve(source.recorded.directory),
      lineage: call.lineage && { ...call.lineage, ...levels },
    },
    {
      ...environmentOf(options, replay),
      ...{ handlers, interviewer, clock, startChild, onNotice, remark, stopSignal: call.stopSignal },
      outside,
      budgetAbove: call.budgetAbove,
      workspace,
      losses: [...inputs.losses, ...notices],
    },
  );
  return call.lineage === undefined ? endAsRecorded(result, source, compilerWith(options), options) : result;
}

/**
 * Goes on with a run.
 * @param call what is known of it beside its options
 * @internal
 */
export async function goOn(
  directory: string,
  compilation: Compilation,
  bare: ResumeOptions,
  call: Partial<OldChildCall> & { readonly inputs?: RunInputs | undefined } = {},
): Promise<RunResult | InvalidPipeline> {
  checkOptions(bare);
  const given = withRedactor(bare);
  const { fileSystem = nodeFileSystem } = given;
  const manifest = readManifest(directory, fileSystem);
  const source = sourceAgain(manifest, call.replay, fileSystem);
  const options = source === undefined ? given : answeredAsRecorded(given, source);
  const asBefore = optionsAsBefore(options, manifest);
  const { simulate, autoApprove } = asBefore;
  const means = source === undefined ? meansOf(options, simulate) : meansBefore(manifest);
  checkHandlerTypes(manifest, simulate, means);
  checkPipeline(directory, manifest, compilation.graph);
  const prepared = prepare(compilation, options);
  if ('status' in prepared) return prepared;
  const program = asPlayedBack(prepared.program, source);
  const answers = options.answers ?? new Map<string, readonly string[]>();
  checkAnswers(program, answers);
  const script = options.script ?? scriptOf(manifest);
  if (script === options.script) checkScript(program, script);
  else checkRecordedScript(directory, program, script);
  checkStart(program, options.from);
  const work = { program, script, simulate };
  checkBackend(manifest, work, means);
  const seed = options.seed ?? manifest.options.seed;
  checkSeed(options.seed, simulate);
  const scripted = new Map([...script.answers].filter(([nodeId]) => !answers.has(nodeId)));
  const { maxSteps, budgetUsd, budgetTokens, from } = options;
  const { values: inputs, losses } = call.inputs ?? inputsOf(options) ?? {};
  const hasChanged = simulate !== manifest.options.simulate;
  const renewed = {
    ...{ script: options.script, seed: options.seed, simulate: hasChanged ? simulate : undefined },
    ...newMeans(manifest, work, means),
    record: asBefore.record && manifest.options.record !== true ? (true as const) : undefined,
  };
  const onNotice = toldOnce(options.onNotice);
  const interrupted = {
    ...{ directory, manifest, program, maxSteps, budgetUsd, budgetTokens },
    ...{ simulate, script, renewed, from, inputs },
  };
  const compileChild = (text: string): Compilation => compileWith(text, inheritedOptions(options));
  const { extensions } = manifest.options;
  const setting = {
    options: { ...asBefore, onNotice, ...(extensions && { extensions }) },
    script: mergeAnswers(script, answers),
    given: options,
    place: { source: manifest.source ?? undefined, workingDirectory: manifest.working_directory },
    ...levelsOf(program, { depth: manifest.depth, maxDepth: manifest.max_depth }),
  };
  const workspace = await openWorkspace({
    ...{ program, directory, simulate },
    ...{ runId: manifest.run_id, git: manifest.git },
  });
  if (hasChanged && !simulate && manifest.git === undefined && wantsGit({ program, git: undefined }))
    onNotice(withoutGit);
  const environmentFor = (state: RunState, continuation: Continuation): RunEnvironment => {
    const isLeft = state.status === 'fail' && call.leavesFailure === true;
    if (from === undefined && !isLeft)
      checkChildren({ directory, manifest, program, state, script, continuation, fileSystem }, compileChild);
    const clock = clockFrom(options.clock ?? clockAgain(state, simulate, seed), state.lastEventAt);
    const place = { runId: manifest.run_id, directory, workingDirectory: manifest.working_directory, clock };
    const replay = replayAgain(source, options, place);
    const outside = outsideOf(asBefore, replay, place);
    const here = { ...setting, replay, options: { ...setting.options, clock } };
    const fresh = scriptedInterviewer(
      scripted,
      interviewerFor(options.interviewer, new Map(), autoApprove, simulate, () => 0),
      (nodeId) => state.answers.get(nodeId) ?? 0,
    );
    return {
      ...environmentOf(asBefore, replay),
      onNotice,
      remark: missingMeansNotice(work, means),
      losses,
      handlers: handlersOf(options, outside),
      outside,
      interviewer: scriptedInterviewer(answers, fresh, () => 0),
      clock,
      startChild: childStarter(
        { ...here, continued: from === undefined ? continuation.visits : new Map() },
        engine,
      ),
      stopSignal: call.stopSignal,
      budgetAbove: call.budgetAbove,
      workspace,
    };
  };
  const result = await resumeRun(
    { ...interrupted, leavesFailure: call.leavesFailure ?? false },
    environmentFor,
    fileSystem,
  );
  return (manifest.depth ?? 0) === 0 ? endAsRecorded(result, source, compilerWith(options), options) : result;
}

const withoutGit =
  'git keeps nothing of this run, although the pipeline says `git=true`, because it was simulated when it began';

/**
 * Cancels a run that no process executes, with those that its stages have started (SEMANTICS 76); one that is executed is
 * cancelled by its `signal`, or by `attractor cancel`. Resuming it goes on all the same.
 * @param directory the run directory
 * @throws RunError where there is no such run, it has ended, another process runs it, or what is on disk is damaged
 */
export async function cancel(
  directory: string,
  options: Pick<
    CommonRunOptions,
    'handlers' | 'transforms' | 'rules' | 'ruleSettings' | 'onEvent' | 'onNotice' | 'clock' | 'fileSystem'
  > = {},
): Promise<RunResult | InvalidPipeline> {
  const compiled = compilerWith(options);
  const { program, diagnostics } = compiled(directory);
  if (program === undefined) return { status: 'invalid', diagnostics };
  return cancelRun(directory, compiled, options);
}

/** Compiles the pipeline of the run in a directory. */
function compilerWith(options: Parameters<typeof cancel>[1]): (directory: string) => Compilation {
  return (directory) => compileWith(readPipeline(directory, options?.fileSystem), options ?? {});
}
