import path from 'node:path';
import type { Compilation } from '../compiler/compile.js';
import type { Program } from '../graph/program.js';
import { expectTools } from '../handlers/tools/run-tool.js';
import { type Manifest, readManifest } from '../run-directory/manifest.js';
import { settingsOf } from '../run-directory/manifest-settings.js';
import type { RecordedSettings } from '../run-directory/recorded-fields.js';
import { emptyScript, type SimulationScript } from '../run-directory/simulation-script.js';
import { openWorkspace, planFiles, wantsGit } from '../workspaces/keep-files.js';
import type { Workspace } from '../workspaces/workspace.js';
import { checkPipeline, checkRecordedScript } from './check-pipeline.js';
import { checkStart } from './check-start.js';
import { levelsOf } from './children/levels.js';
import type { RunCall } from './children/run-engine.js';
import { mergeSettings } from './merge-settings.js';
import { once } from './once.js';
import { checkBackend, checkHandlerTypes, type ProvidedHandlers } from './provided-handlers.js';
import { asPlayedBack } from './recording/lifted-budgets.js';
import { continuedReplaySettings, replaySettings } from './recording/replay-settings.js';
import { type ReplaySource, replaySource, sourceAgain } from './recording/replay-source.js';
import { refuseSecrets } from './refuse-secrets.js';
import type { InvalidPipeline } from './run-options.js';
import {
  clockOf,
  mergeAnswers,
  newRunLocation,
  providedHandlersOf,
  type RunLocation,
  runnableOf,
  toolsAtOnce,
} from './run-parts.js';
import type { RunSettings } from './run-settings.js';
import { checkAnswers, checkScript, checkSeed } from './simulate/check-script.js';

/** A run that may begin, or be resumed: everything is checked, and nothing was created or changed. */
export interface PreparedRun extends RunLocation {
  /** Its script is never missing. */
  readonly settings: RunSettings;
  readonly script: SimulationScript;
  readonly program: Program;
  readonly provided: ProvidedHandlers;
  /** The run that it plays back. */
  readonly replayed: ReplaySource | undefined;
  /** The number of runs above it, and how many there may be above any run below it. */
  readonly depth: number;
  readonly maxDepth: number;
  readonly git: Manifest['git'];
  readonly workspace: Workspace | undefined;
  /** Written into the log when the run begins or continues. */
  readonly warnings: readonly string[];
  readonly call: RunCall;
  /** The settings that this call of `resume` gives; none where the run begins. */
  readonly given: RecordedSettings;
}

/** A run that begins. */
export interface NewRun extends PreparedRun {
  readonly kind: 'new';
  /** The text of the pipeline, without secrets. */
  readonly text: string;
}

/** A run that is resumed. */
export interface ResumedRun extends PreparedRun {
  readonly kind: 'resumed';
  readonly manifest: Manifest;
  /** The settings of the manifest. */
  readonly before: RecordedSettings;
}

/**
 * Checks a run that is to begin.
 * @throws RunError where its settings contradict the pipeline, or git cannot keep its files
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
  const replayed = replayedBy(given, call);
  const program = asPlayedBack(runnable.program, replayed);
  const settings = settledFor(program, replayed === undefined ? given : replaySettings(given, replayed));
  const { recorded, ports, truncatedInputs } = settings;
  const { simulate = false, script = emptyScript, workingDirectory = '.' } = recorded;
  if (!simulate && replayed === undefined) expectTools(toolsAtOnce(runnable));
  const { runId, directory } = call.place ?? newRunLocation(program.graph.name, recorded, clockOf(settings));
  const plan = await planFiles({ program, git: recorded.git, simulate, workingDirectory, directory });
  const notices = [...(plan?.notices ?? []), ...(call.notice === undefined ? [] : [call.notice])];
  for (const notice of notices) ports.onNotice?.(notice);
  const git = plan?.origin;
  return {
    ...levelsOf(program, call.lineage),
    kind: 'new',
    settings,
    script,
    program,
    // Its graph has no secret, but a comment may have one.
    text: secrets.text(compilation.source.text),
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

/** The run that a new run plays back, where it plays one back. */
function replayedBy({ recorded, ports }: RunSettings, call: RunCall): ReplaySource | undefined {
  return recorded.replay === undefined ? call.replay?.() : replaySource(recorded.replay, ports.fileSystem);
}

/** The settings of a new run, checked, with what they leave open. @throws RunError `usage` */
function settledFor(program: Program, settings: RunSettings): RunSettings {
  const { recorded, ports } = settings;
  const { simulate = false, script = emptyScript, answers = new Map(), seed, workingDirectory } = recorded;
  checkAnswers(program, answers);
  checkScript(program, script);
  checkSeed(seed, simulate);
  return {
    ...settings,
    recorded: {
      ...recorded,
      script: mergeAnswers(script, answers),
      workingDirectory: path.resolve(workingDirectory ?? '.'),
    },
    ports: { ...ports, clock: clockOf(settings), onNotice: once(ports.onNotice) },
  };
}

/**
 * Checks a run that is to be resumed.
 * @throws RunError where it cannot continue with what it is given
 */
export async function prepareResume(
  directory: string,
  compilation: Compilation,
  bare: RunSettings,
  call: RunCall,
): Promise<ResumedRun | InvalidPipeline> {
  const { fileSystem } = bare.ports;
  const manifest = readManifest(directory, fileSystem);
  const replayed = sourceAgain(manifest, call.replay, fileSystem);
  const given = replayed === undefined ? bare : continuedReplaySettings(bare, replayed);
  const before = settingsOf(manifest);
  const ports = { ...given.ports, onNotice: once(given.ports.onNotice) };
  const settings = { ...given, recorded: mergeSettings(before, given.recorded), ports };
  const { simulate = false, script = emptyScript } = settings.recorded;
  const provided = providedFor(settings, replayed, manifest);
  checkHandlerTypes(manifest, simulate, provided);
  checkPipeline(directory, manifest, compilation.graph);
  const runnable = runnableOf(compilation, ports);
  if ('status' in runnable) return runnable;
  const program = asPlayedBack(runnable.program, replayed);
  const { run_id: runId, git, working_directory: workingDirectory, depth, max_depth: maxDepth } = manifest;
  const workspace = await openWorkspace({ program, directory, runId, git, simulate });
  const run: ResumedRun = {
    ...levelsOf(program, { depth, maxDepth }),
    kind: 'resumed',
    settings,
    script,
    program,
    manifest,
    before,
    given: given.recorded,
    runId,
    directory,
    workingDirectory,
    provided,
    replayed,
    git,
    workspace,
    warnings: given.truncatedInputs,
    call,
  };
  checkResume(run);
  const isRealNow = before.simulate === true && !simulate;
  if (isRealNow && git === undefined && wantsGit({ program, git: undefined })) ports.onNotice(withoutGit);
  return run;
}

/** @throws RunError where what the call gives, or what the run needs, does not fit its pipeline */
function checkResume({ directory, manifest, program, script, settings, given, provided }: ResumedRun): void {
  const { simulate = false, from } = settings.recorded;
  checkAnswers(program, given.answers ?? new Map());
  if (given.script === undefined) checkRecordedScript(directory, program, script);
  else checkScript(program, script);
  checkStart(program, from);
  checkBackend(manifest, { program, script, simulate }, provided);
  checkSeed(given.seed, simulate);
}

const withoutGit =
  'git keeps nothing of this run, although the pipeline says `git=true`, because it was simulated when it began';

/** A replay needs the handlers that the recorded run had. @param manifest of a replay that is resumed */
function providedFor(
  settings: RunSettings,
  replayed: ReplaySource | undefined,
  manifest = replayed?.recorded.manifest,
): ProvidedHandlers {
  if (replayed === undefined || manifest === undefined) return providedHandlersOf(settings);
  const { has_backend, handler_types } = manifest.options;
  return { hasBackend: has_backend === true, handlerTypes: new Set(handler_types) };
}
