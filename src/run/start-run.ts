import path from 'node:path';
import type { Compilation } from '../compiler/compile.js';
import { graphAttribute } from '../graph/attributes.js';
import type { Graph } from '../graph/graph.js';
import { lower } from '../graph/lower.js';
import type { Program } from '../graph/program.js';
import { promptFileOf } from '../graph/prompt-file.js';
import { declaredInputs, withDefaultInputs } from '../graph/values/declared-inputs.js';
import { toolHandler } from '../handlers/tool.js';
import { expectTools } from '../handlers/tools/run-tool.js';
import { graphHash } from '../journal/graph-hash.js';
import { beginning } from '../journal/journal.js';
import { initialState } from '../machine/state.js';
import { parseDot } from '../parser/dot/parse.js';
import { makeDirectory, removeTemporaryFiles, writeFileAtomically } from '../run-directory/durable-file.js';
import { recordWith } from '../run-directory/extension-record.js';
import type { FileSystem } from '../run-directory/file-system.js';
import { acquireLock } from '../run-directory/lock.js';
import type { Manifest } from '../run-directory/manifest.js';
import { optionsOf } from '../run-directory/manifest-settings.js';
import { describeSystemError, RunError } from '../run-directory/run-error.js';
import { holdsRun, runFiles } from '../run-directory/run-files.js';
import { emptyScript } from '../run-directory/simulation-script.js';
import { isWorkingDirectoryUndecodable } from '../run-directory/undecodable-names.js';
import { version } from '../version.js';
import type { RunResult } from '../view/run-result.js';
import { openWorkspace, planFiles } from '../workspaces/keep-files.js';
import { boundedSteps } from './bounds.js';
import { checkStageBudgets } from './check-budgets.js';
import { refuseInputs } from './check-inputs.js';
import { levelsOf } from './children/levels.js';
import type { RunCall, RunEngine } from './children/run-engine.js';
import { startingBudget, withDefaultBudget } from './default-budget.js';
import { driveRun, openRun, type PreparedRun } from './drive-run.js';
import type { Clock } from './driver/clock.js';
import { checkInputs } from './driver/externalize.js';
import { once } from './once.js';
import { historyOf } from './preamble/run-history.js';
import { handlerTypesOf, providedFor } from './provided-handlers.js';
import { asPlayedBack } from './recording/lifted-budgets.js';
import { replaySettings } from './recording/replay-settings.js';
import { type ReplaySource, replaySource } from './recording/replay-source.js';
import { refuseSecrets } from './refuse-secrets.js';
import type { InvalidPipeline } from './run-options.js';
import { clockOf, mergeAnswers, newRunLocation, type Runnable, runnableOf } from './run-parts.js';
import type { RunSettings } from './run-settings.js';
import { checkAnswers, checkScript, checkSeed } from './simulate/check-script.js';

/** Run that begins. */
export interface NewRun extends PreparedRun {
  readonly kind: 'new';
  /** Text of the pipeline, without secrets. */
  readonly text: string;
}

/**
 * Checks a run that is to begin.
 * @throws RunError if its settings contradict the pipeline, or git cannot keep its files
 */
export async function prepareRun(
  compilation: Compilation,
  given: RunSettings,
  call: RunCall,
): Promise<NewRun | InvalidPipeline> {
  const { secrets } = given.ports;
  const runnable = runnableOf(compilation, given.ports);
  if ('status' in runnable) return runnable;
  refuseSecrets(runnable.program.graph, secrets);
  refusePromptFiles(runnable.program.graph);
  if (compilation.wholeText !== compilation.source.text)
    refusePromptFiles(lower(parseDot(compilation.wholeText).document).graph);
  const replayed = replayedBy(given, call);
  const program = asPlayedBack(runnable.program, replayed);
  const plain = withDefaultBudget(given, call);
  const settings =
    replayed === undefined
      ? settledFor(program, plain, true)
      : settledFor(program, replaySettings(plain, replayed), false);
  const { recorded, ports, truncatedInputs } = settings;
  const { simulate = false, script = emptyScript, workingDirectory = '.' } = recorded;
  if (!simulate && replayed === undefined) expectTools(toolsAtOnce(runnable));
  const { runId, directory } = call.place ?? newRunLocation(program.graph.name, recorded, clockOf(settings));
  const plan = await planFiles({ program, git: recorded.git, simulate, workingDirectory, directory });
  const notices = [...(plan?.notices ?? []), ...(call.notice === undefined ? [] : [call.notice])];
  for (const notice of notices) ports.onNotice?.(notice);
  const git = plan?.origin;
  return {
    ...levelsOf(program, call.lineage, ports.bounds),
    kind: 'new',
    settings,
    script,
    program,
    // Its graph has no secret, but a comment may have one.
    text: secrets.text(compilation.wholeText),
    runId,
    directory,
    workingDirectory,
    provided: providedFor(settings, replayed),
    replayed,
    git,
    workspace: await openWorkspace({ program, directory, runId, git, simulate }),
    warnings: [...truncatedInputs, ...notices],
    call,
    given: {},
  };
}

/**
 * Refuses prompts that were not read, because the pipeline was compiled without access to its files.
 * @throws RunError `usage`
 */
function refusePromptFiles({ nodes }: Graph): void {
  for (const node of nodes.values()) {
    const attribute = promptFileOf(node);
    if (attribute === undefined) continue;
    const file = JSON.stringify(attribute.value);
    throw new RunError(
      'usage',
      `the prompt_file of "${node.id}", ${file}, was not read; compile the pipeline with \`files: pipelineFiles(file)\`, and name the file on the node itself, not in defaults`,
    );
  }
}

/** Run that a new run plays back; undefined if it is not a replay. */
function replayedBy({ recorded, ports }: RunSettings, call: RunCall): ReplaySource | undefined {
  return recorded.replay === undefined ? call.replay?.() : replaySource(recorded.replay, ports.fileSystem);
}

/**
 * Checked settings of a new run, with defaults.
 * @throws RunError `usage`
 */
function settledFor(program: Program, settings: RunSettings, isReal: boolean): RunSettings {
  const { recorded, ports } = settings;
  const { simulate = false, script = emptyScript, answers = new Map(), seed, workingDirectory } = recorded;
  const scripted = simulate ? script.inputs : undefined;
  const inputs = withDefaultInputs({ ...scripted, ...recorded.inputs }, declaredInputs(program.graph));
  refuseInputs(program.graph, inputs, isReal && !simulate ? ports.variables : undefined);
  checkAnswers(program, answers);
  checkScript(program, script);
  checkSeed(seed, simulate);
  checkStageBudgets(program, recorded.stageBudgets);
  return {
    ...settings,
    recorded: {
      ...recorded,
      inputs,
      script: mergeAnswers(script, answers),
      workingDirectory: path.resolve(workingDirectory ?? '.'),
    },
    ports: { ...ports, clock: clockOf(settings), onNotice: once(ports.onNotice) },
  };
}

/** Number of tools that this process may have to run at a time: none, one, or several. */
function toolsAtOnce({ program, handlers }: Runnable): number {
  if (handlers.get('tool') !== toolHandler) return 0;
  const types = [...program.nodes.values()].map(({ handler }) => handler);
  const tools = types.filter(({ type }) => type === 'tool').length;
  return types.some(({ forks }) => forks) ? tools : Math.min(tools, 1);
}

/**
 * Creates the directory of a new run and runs its program in it (§3.1).
 * @throws RunError `usage`, `run_exists`, `run_locked`, `unusable_directory` or `storage`
 */
export async function driveNewRun(run: NewRun, engine: RunEngine): Promise<RunResult> {
  const { program, directory, runId, workingDirectory, settings } = run;
  const { recorded, ports } = settings;
  const { inputs = {}, maxSteps, budgetTokens, stageBudgets } = recorded;
  const { fileSystem } = ports;
  checkInputs(inputs);
  createDirectory(directory, fileSystem);
  const lock = acquireLock(path.join(directory, runFiles.lock), fileSystem);
  try {
    if (holdsRun(directory, fileSystem)) throw runExists(directory);
    const hash = graphHash(program.graph);
    const environment = openRun(run, engine, initialState);
    removeTemporaryFiles(directory, fileSystem);
    writeBirthFiles(run, hash, environment.ports.clock);
    const session = {
      program,
      directory,
      state: initialState,
      history: historyOf(program),
      madeUp: new Map(),
      journalEnd: beginning,
      graphHash: hash,
      workingDirectory,
      settings: recorded,
      lock,
    };
    const commit = run.git?.base;
    return await driveRun(session, environment, {
      kind: 'start',
      runId,
      graphHash: hash,
      inputs,
      maxSteps: boundedSteps(maxSteps, program, initialState, ports.bounds),
      commit,
      budgetUsd: startingBudget(run),
      budgetTokens,
      stageBudgets,
    });
  } finally {
    lock.release();
  }
}

function createDirectory(directory: string, fileSystem: FileSystem): void {
  if (holdsRun(directory, fileSystem)) throw runExists(directory);
  if (isWorkingDirectoryUndecodable()) {
    throw new RunError(
      'unusable_directory',
      `the path of the working directory is not UTF-8: ${process.cwd()}; rename it, or work in another directory`,
    );
  }
  try {
    makeDirectory(path.resolve(directory), fileSystem);
  } catch (error) {
    const isRefused = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const what = isRefused ? 'the file system rejects this path' : describeSystemError(error);
    throw new RunError('unusable_directory', `the run directory ${directory} cannot be created: ${what}`, {
      cause: error,
    });
  }
}

function runExists(directory: string): RunError {
  return new RunError(
    'run_exists',
    `${directory} already contains a run. Continue it with \`attractor resume ${directory}\`, or name another directory`,
  );
}

function writeBirthFiles(run: NewRun, hash: string, clock: Clock): void {
  const { directory, settings } = run;
  const { pipeline, manifest } = birthFiles(run, hash, clock);
  // The manifest goes last: a directory that has one can be resumed.
  writeBirthFile(directory, runFiles.pipeline, pipeline, settings.ports.fileSystem);
  writeBirthFile(directory, runFiles.manifest, manifest, settings.ports.fileSystem);
}

/** Texts of the files that the directory of a new run has before anything happens: with them, it can be resumed. */
export interface BirthFiles {
  readonly pipeline: string;
  readonly manifest: string;
}

/**
 * @param hash `graphHash` of the pipeline
 * @param clock tells when the run begins
 */
export function birthFiles(run: NewRun, hash: string, clock: Clock): BirthFiles {
  const { program, settings, provided, script, git, call } = run;
  const { recorded, ports } = settings;
  const { simulate = false, sourcePath, inputs = {} } = recorded;
  const { lineage } = call;
  const imposed = program.monitors.filter(({ origin }) => origin !== 'pipeline');
  const extensions = recordWith(recorded.extensions, imposed);
  const manifest: Manifest = {
    run_id: run.runId,
    name: program.graph.name,
    goal: graphAttribute(program.graph, 'goal'),
    start_time: new Date(clock.now()).toISOString(),
    source: sourcePath ?? null,
    graph_hash: hash,
    attractor_version: version,
    inputs,
    parent_run: lineage?.parent.run_id ?? null,
    parent: lineage?.parent,
    depth: lineage && run.depth,
    max_depth: lineage && run.maxDepth,
    in_cluster: call.durableLog === undefined ? undefined : true,
    working_directory: run.workingDirectory,
    git,
    warnings: run.warnings.length === 0 ? undefined : [...ports.secrets.json(run.warnings)],
    options: {
      ...optionsOf({ ...recorded, extensions }, ports.secrets),
      has_backend: provided.hasBackend,
      handler_types: [...handlerTypesOf({ program, script, simulate }, provided)],
    },
  };
  return { pipeline: run.text, manifest: `${JSON.stringify(manifest, null, 2)}\n` };
}

function writeBirthFile(directory: string, name: string, text: string, fileSystem: FileSystem): void {
  const file = path.join(directory, name);
  try {
    writeFileAtomically(file, text, fileSystem);
  } catch (error) {
    throw new RunError(
      'unusable_directory',
      `${file} could not be written: ${describeSystemError(error)}. Nothing was executed; fix the cause and run the pipeline again, or name another directory`,
      { cause: error },
    );
  }
}
