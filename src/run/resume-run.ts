import path from 'node:path';
import type { Compilation } from '../compiler/compile.js';
import type { BudgetLimit } from '../graph/budget-limit.js';
import type { InputBody } from '../machine/input.js';
import { onlyAsks } from '../machine/only-asks.js';
import type { RunState } from '../machine/state.js';
import { propertiesOfRecord } from '../run-directory/extension-record.js';
import type { FileSystem } from '../run-directory/file-system.js';
import { acquireLock } from '../run-directory/lock.js';
import { type Manifest, readManifest } from '../run-directory/manifest.js';
import { renewedOptions, settingsOf } from '../run-directory/manifest-settings.js';
import { readCheckpoint } from '../run-directory/read-checkpoint.js';
import type { RecordedSettings } from '../run-directory/recorded-fields.js';
import { runFiles } from '../run-directory/run-files.js';
import { emptyScript } from '../run-directory/simulation-script.js';
import { type RunResult, resultOf } from '../view/run-result.js';
import { openWorkspace, wantsGit } from '../workspaces/keep-files.js';
import { boundedSteps } from './bounds.js';
import { checkRaisedBudgets, checkStageBudgets } from './check-budgets.js';
import { refuseInputs } from './check-inputs.js';
import { checkPipeline, checkRecordedScript } from './check-pipeline.js';
import { checkStart } from './check-start.js';
import { checkChildren } from './children/check-children.js';
import { levelsOf } from './children/levels.js';
import type { RunCall, RunEngine } from './children/run-engine.js';
import type { Continuation } from './continuation.js';
import { startingBudget } from './default-budget.js';
import { driveRun, openRun, type PreparedRun } from './drive-run.js';
import { endLeftTools } from './end-left-tools.js';
import { mergeSettings } from './merge-settings.js';
import { once } from './once.js';
import { checkBackend, checkHandlerTypes, newlyProvided, providedFor } from './provided-handlers.js';
import { recordedSession } from './recorded-session.js';
import { asPlayedBack } from './recording/lifted-budgets.js';
import { continuedReplaySettings } from './recording/replay-settings.js';
import { sourceAgain } from './recording/replay-source.js';
import { renewOptions } from './renew-options.js';
import { restoreViews } from './restore-views.js';
import type { InvalidPipeline } from './run-options.js';
import { compileWith, runnableOf } from './run-parts.js';
import type { RunSettings } from './run-settings.js';
import { checkAnswers, checkScript, checkSeed } from './simulate/check-script.js';

/** Run that is resumed. */
export interface ResumedRun extends PreparedRun {
  readonly kind: 'resumed';
  readonly manifest: Manifest;
  /** Settings of the manifest. */
  readonly before: RecordedSettings;
}

/**
 * Checks a run before it is resumed.
 * @throws RunError if it cannot continue with the given settings
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
  const given = replayed === undefined ? bare : continuedReplaySettings(bare);
  const before = settingsOf(manifest);
  const properties = propertiesOfRecord(before.extensions, given.ports.properties);
  const ports = { ...given.ports, properties, onNotice: once(given.ports.onNotice) };
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
    ...levelsOf(program, { depth, maxDepth }, ports.bounds),
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

/** @throws RunError if the settings of the call, or the needs of the run, do not fit its pipeline */
function checkResume({
  directory,
  manifest,
  program,
  script,
  settings,
  given,
  provided,
  replayed,
}: ResumedRun): void {
  const { simulate = false, from } = settings.recorded;
  const isReal = replayed === undefined && !simulate;
  const { variables } = settings.ports;
  refuseInputs(program.graph, { ...manifest.inputs, ...given.inputs }, isReal ? variables : undefined);
  checkAnswers(program, given.answers ?? new Map());
  if (given.script === undefined) checkRecordedScript(directory, program, script);
  else checkScript(program, script);
  checkStart(program, from);
  checkStageBudgets(program, given.stageBudgets);
  checkBackend(manifest, { program, script, simulate }, provided);
  checkSeed(given.seed, simulate);
}

const withoutGit =
  'this run does not use git, although the pipeline has `git=true`, because it was simulated when it started';

/**
 * Drives a run on from its journal (§5.3, SEMANTICS 66). Finished work is not repeated; interrupted work
 * is. A run that has succeeded is left alone, and its result is returned again.
 * @throws RunError `run_locked`, `run_damaged` or `storage`
 */
export async function driveResumedRun(run: ResumedRun, engine: RunEngine): Promise<RunResult> {
  const { directory, manifest, program, settings } = run;
  const { recorded, ports } = settings;
  const { fileSystem } = ports;
  const { cache } = run.call;
  const lock = cache?.lock ?? acquireLock(path.join(directory, runFiles.lock), fileSystem);
  try {
    const stored = { directory, manifest, program, settings: recorded, cache };
    const basis = recordedSession(stored, fileSystem);
    const { state, journalEnd, stageViews, continuation } = basis;
    // A replay reads what is recorded of the run so far.
    if (run.replayed !== undefined) await journalEnd;
    checkRaisedBudgets(program, state, recorded);
    checkChildrenOf(run, state, continuation);
    // A run that has not begun anywhere begins here.
    const warnings =
      state.status === 'created' ? [...(manifest.warnings ?? []), ...run.warnings] : run.warnings;
    const environment = openRun({ ...run, warnings }, engine, state, continuation);
    const lost = lostEnd(directory, state, fileSystem);
    if (lost !== undefined) ports.onNotice?.(lost);
    const asRecorded = run.call.durableLog !== undefined;
    restoreViews(directory, journalEnd, stageViews, state, manifest.graph_hash, fileSystem, asRecorded);
    const isOver = state.status === 'success' || (state.status === 'fail' && run.call.leavesFailure === true);
    if (isOver && recorded.from === undefined)
      return resultOf(state, path.resolve(directory), environment.ports.clock.now());
    await endLeftTools({ directory, state, fileSystem, onNotice: ports.onNotice });
    renewOptions(directory, renewalOf(run), fileSystem);
    return await driveRun({ ...basis, lock }, environment, firstInput(run, state));
  } finally {
    if (cache === undefined) lock.release();
  }
}

/** Options of the manifest that change from now on. */
function renewalOf(run: ResumedRun): Partial<Manifest['options']> {
  const { manifest, before, given, settings, program, script, provided } = run;
  const { simulate = false } = settings.recorded;
  return {
    ...renewedOptions(before, given, settings.ports.secrets),
    ...newlyProvided(manifest, { program, script, simulate }, provided),
  };
}

/**
 * First input of a resume. A process that died before its first event was on the disk left nothing to
 * resume: then the run starts.
 */
function firstInput(run: ResumedRun, state: RunState): InputBody {
  const { manifest, before, settings, program } = run;
  const { budgetTokens, stageBudgets, from, inputs } = settings.recorded;
  if (run.call.isWaking && onlyAsks(program, state)) return { kind: 'wake' };
  const asked = settings.recorded.maxSteps ?? (state.status === 'created' ? before.maxSteps : undefined);
  const maxSteps = boundedSteps(asked, program, state, settings.ports.bounds);
  if (state.status !== 'created')
    return {
      kind: 'resume',
      maxSteps,
      budgetUsd: budgetFromNowOn(run, state),
      budgetTokens,
      stageBudgets,
      nodeId: from,
      inputs,
      isFork: manifest.forked_from?.seq === state.seq,
    };
  return {
    kind: 'start',
    runId: manifest.run_id,
    commit: manifest.git?.base,
    graphHash: manifest.graph_hash,
    inputs: { ...manifest.inputs, ...inputs },
    maxSteps,
    budgetUsd: settings.recorded.budgetUsd ?? before.budgetUsd ?? startingBudget(run),
    budgetTokens: budgetTokens ?? before.budgetTokens,
    stageBudgets: stageBudgets ?? before.stageBudgets,
  };
}

/**
 * Budget in US dollars that this call changes. A run that could not cost money so far, as one that was
 * simulated, gets its default (SEMANTICS 126).
 */
function budgetFromNowOn(run: ResumedRun, state: RunState): BudgetLimit | undefined {
  const given = run.settings.recorded.budgetUsd;
  return given !== undefined || state.budgetUsd !== undefined ? given : startingBudget(run);
}

/**
 * Notice if the checkpoint is ahead of the journal. It is written after its events are on the disk, so the
 * end of the journal must have been removed: the journal still is the truth, but work will be repeated.
 */
function lostEnd(directory: string, state: RunState, fileSystem: FileSystem): string | undefined {
  const recorded = readCheckpoint(directory, fileSystem)?.seq;
  if (recorded === undefined || recorded <= state.seq) return undefined;
  const file = path.join(directory, runFiles.journal);
  return `the journal ${file} ends with event ${state.seq}, but it once reached event ${recorded}: its end is missing, and the work recorded there is repeated`;
}

/**
 * Checks the child runs with which a resumed run will continue, before anything is changed.
 * @throws RunError
 */
function checkChildrenOf(run: ResumedRun, state: RunState, continuation: Continuation): void {
  const { settings, call } = run;
  const { fileSystem } = settings.ports;
  const isLeft = state.status === 'fail' && call.leavesFailure === true;
  if (settings.recorded.from !== undefined || isLeft) return;
  checkChildren({ ...run, state, continuation, fileSystem }, (text) => compileWith(text, settings.ports));
}
