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
import { checkBackend, checkHandlerTypes, type ProvidedHandlers } from './means.js';
import { mergeSettings } from './merge-settings.js';
import { once } from './once.js';
import { asPlayedBack } from './recording/lifted-budgets.js';
import { continuedReplaySettings, replaySettings } from './recording/replay-settings.js';
import { type ReplaySource, replaySource, sourceAgain } from './recording/replay-source.js';
import { refuseSecrets } from './refuse-secrets.js';
import type { InvalidPipeline } from './run-options.js';
import {
  clockOf,
  mergeAnswers,
  newPlace,
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
  /** Written into the log when the run begins or goes on. */
  readonly warnings: readonly string[];
  readonly call: RunCall;
  /** What this call of `resume` was given; nothing where the run begins. */
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
  const { fileSystem, secrets } = given.ports;
  const runnable = runnableOf(compilation, given.ports);
  if ('status' in runnable) return runnable;
  refuseSecrets(runnable.program.graph, secrets);
  const { replay } = given.recorded;
  const replayed = replay === undefined ? call.replay?.() : replaySource(replay, fileSystem);
  const { recorded, ports, truncatedInputs } =
    replayed === undefined ? given : replaySettings(given, replayed);
  const { simulate = false, script: scripted = emptyScript, answers = new Map(), seed, git } = recorded;
  const program = asPlayedBack(runnable.program, replayed);
  if (!simulate && replayed === undefined) expectTools(toolsAtOnce(runnable));
  checkAnswers(program, answers);
  checkScript(program, scripted);
  checkSeed(seed, simulate);
  const script = mergeAnswers(scripted, answers);
  const clock = clockOf({ recorded, ports, truncatedInputs });
  const onNotice = once(ports.onNotice);
  const { runId, directory } = call.place ?? newPlace(program.graph.name, recorded, clock);
  const workingDirectory = path.resolve(recorded.workingDirectory ?? '.');
  const settings: RunSettings = {
    recorded: { ...recorded, script, workingDirectory },
    ports: { ...ports, clock, onNotice },
    truncatedInputs,
  };
  const plan = await planFiles({ program, git, simulate, workingDirectory, directory });
  const origin = plan?.origin;
  const notices = [...(plan?.notices ?? []), ...(call.notice === undefined ? [] : [call.notice])];
  for (const notice of notices) onNotice(notice);
  const { depth, maxDepth } = levelsOf(program, call.lineage);
  return {
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
    depth,
    maxDepth,
    git: origin,
    workspace: await openWorkspace({ program, directory, runId, git: origin, simulate }),
    warnings: [...truncatedInputs, ...notices],
    call,
    given: {},
  };
}

/**
 * Checks a run that is to be resumed.
 * @throws RunError where it cannot go on with what it is given
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
  const onNotice = once(given.ports.onNotice);
  const recorded = mergeSettings(before, given.recorded);
  const settings: RunSettings = { ...given, recorded, ports: { ...given.ports, onNotice } };
  const { simulate = false, script = emptyScript, answers = new Map(), from } = recorded;
  const provided = providedFor(settings, replayed, manifest);
  checkHandlerTypes(manifest, simulate, provided);
  checkPipeline(directory, manifest, compilation.graph);
  const runnable = runnableOf(compilation, given.ports);
  if ('status' in runnable) return runnable;
  const program = asPlayedBack(runnable.program, replayed);
  checkAnswers(program, answers);
  if (given.recorded.script === undefined) checkRecordedScript(directory, program, script);
  else checkScript(program, script);
  checkStart(program, from);
  checkBackend(manifest, { program, script, simulate }, provided);
  checkSeed(given.recorded.seed, simulate);
  const { run_id: runId, git } = manifest;
  const workspace = await openWorkspace({ program, directory, runId, git, simulate });
  const isRealNow = before.simulate === true && !simulate;
  if (isRealNow && git === undefined && wantsGit({ program, git: undefined })) onNotice(withoutGit);
  const { depth, maxDepth } = levelsOf(program, { depth: manifest.depth, maxDepth: manifest.max_depth });
  return {
    kind: 'resumed',
    settings,
    script,
    program,
    manifest,
    before,
    given: given.recorded,
    runId,
    directory,
    workingDirectory: manifest.working_directory,
    provided,
    replayed,
    depth,
    maxDepth,
    git,
    workspace,
    warnings: given.truncatedInputs,
    call,
  };
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
