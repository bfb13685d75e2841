import path from 'node:path';
import type { InputBody } from '../machine/input.js';
import type { RunState } from '../machine/state.js';
import type { FileSystem } from '../run-directory/file-system.js';
import { acquireLock } from '../run-directory/lock.js';
import type { Manifest } from '../run-directory/manifest.js';
import { renewedOptions } from '../run-directory/manifest-settings.js';
import { readCheckpoint } from '../run-directory/read-checkpoint.js';
import { runFiles } from '../run-directory/run-files.js';
import { type RunResult, resultOf } from '../view/run-result.js';
import { checkRaisedBudgets } from './check-raised-budgets.js';
import { Continuation } from './continuation.js';
import { StageViews } from './driver/stage-views.js';
import { endLeftTools } from './end-left-tools.js';
import type { ResumedRun } from './prepare-run.js';
import { newlyProvided } from './provided-handlers.js';
import { recordedSession } from './recorded-session.js';
import { renewOptions } from './renew-options.js';
import { restoreViews } from './restore-views.js';
import { driveRun, type RunEnvironment } from './run-session.js';

/**
 * Drives a run on from its journal (§5.3, SEMANTICS 66). What had finished is not done again; what was under way is. A run that
 * has succeeded is left alone, and its result is given again.
 * @param open connects it with the world; it is called before anything is changed
 * @throws RunError `run_locked`, `run_damaged` or `storage`
 */
export async function driveResumedRun(
  run: ResumedRun,
  open: (state: RunState, continuation: Continuation) => RunEnvironment,
): Promise<RunResult> {
  const { directory, manifest, program, settings } = run;
  const { recorded, ports } = settings;
  const { fileSystem } = ports;
  const lock = acquireLock(path.join(directory, runFiles.lock), fileSystem);
  try {
    const stageViews = new StageViews(program);
    const continuation = new Continuation(program);
    const session = recordedSession(
      { directory, manifest, program, settings: recorded },
      fileSystem,
      (event, after) => {
        stageViews.note(event, after);
        continuation.note(event, after);
      },
    );
    const { state, journalEnd } = session;
    checkRaisedBudgets(program, state, recorded);
    const environment = open(state, continuation);
    const lost = lostEnd(directory, state, fileSystem);
    if (lost !== undefined) ports.onNotice?.(lost);
    restoreViews(directory, journalEnd, stageViews, state, manifest.graph_hash, fileSystem);
    const isOver = state.status === 'success' || (state.status === 'fail' && run.call.leavesFailure === true);
    if (isOver && recorded.from === undefined)
      return resultOf(state, path.resolve(directory), environment.ports.clock.now());
    await endLeftTools({ directory, state, fileSystem, onNotice: ports.onNotice });
    renewOptions(directory, renewalOf(run), fileSystem);
    return await driveRun(session, environment, firstInput(run, state));
  } finally {
    lock.release();
  }
}

/** The options of the manifest that change from now on. */
function renewalOf(run: ResumedRun): Partial<Manifest['options']> {
  const { manifest, before, given, settings, program, script, provided } = run;
  const { simulate = false } = settings.recorded;
  return {
    ...renewedOptions(before, given, settings.ports.secrets),
    ...newlyProvided(manifest, { program, script, simulate }, provided),
  };
}

/** A process that died before its first event was on the disk left nothing to resume: the run starts. */
function firstInput({ manifest, before, settings }: ResumedRun, state: RunState): InputBody {
  const { maxSteps, budgetUsd, budgetTokens, from, inputs } = settings.recorded;
  if (state.status !== 'created')
    return {
      kind: 'resume',
      maxSteps,
      budgetUsd,
      budgetTokens,
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
    maxSteps: maxSteps ?? before.maxSteps,
    budgetUsd: budgetUsd ?? before.budgetUsd,
    budgetTokens: budgetTokens ?? before.budgetTokens,
  };
}

/**
 * The checkpoint is written after the events that are in it are on the disk. Where it knows more, somebody took the end of
 * the journal away: the journal still is the truth, but a person should know that work is done again.
 */
function lostEnd(directory: string, state: RunState, fileSystem: FileSystem): string | undefined {
  const recorded = readCheckpoint(directory, fileSystem)?.seq;
  if (recorded === undefined || recorded <= state.seq) return undefined;
  const file = path.join(directory, runFiles.journal);
  return `the journal ${file} ends with event ${state.seq}, but it once reached event ${recorded}: its end is missing, and what it recorded there is done again`;
}
