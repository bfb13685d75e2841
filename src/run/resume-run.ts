import path from 'node:path';
import type { Graph } from '../graph/graph.js';
import type { JsonValue } from '../graph/json.js';
import type { Program } from '../graph/program.js';
import { messageOf } from '../handlers/error-category.js';
import { graphHash } from '../journal/graph-hash.js';
import type { InputBody } from '../machine/input.js';
import type { RunState } from '../machine/state.js';
import { type FileSystem, nodeFileSystem } from '../run-directory/file-system.js';
import { acquireLock } from '../run-directory/lock.js';
import { damagedManifest, type Manifest } from '../run-directory/manifest.js';
import { readCheckpoint } from '../run-directory/read-checkpoint.js';
import { RunError } from '../run-directory/run-error.js';
import { runFiles } from '../run-directory/run-files.js';
import { emptyScript, readScript, type SimulationScript } from '../run-directory/simulation-script.js';
import { type RunResult, resultOf } from '../view/run-result.js';
import { Continuation } from './continuation.js';
import { StageViews } from './driver/stage-views.js';
import { type RecordedRun, recordedSession } from './recorded-session.js';
import { type RenewedOptions, renewOptions } from './renew-options.js';
import { restoreViews } from './restore-views.js';
import { driveRun, type RunEnvironment } from './run-session.js';
import { checkScript } from './simulate/check-script.js';
import { givenBudgets } from './start-run.js';

/** A run that goes on where it stopped. */
export interface InterruptedRun extends RecordedRun {
  /** Overrides the limit for the rest of the run. */
  readonly maxSteps: number | undefined;
  /** Override the budgets for the rest of the run. */
  readonly budgetUsd?: number | undefined;
  readonly budgetTokens?: number | undefined;
  /** What is recorded in place of what the run was started with. */
  readonly renewed: RenewedOptions;
  /** The node to go on at, instead of where the run stopped. */
  readonly from: string | undefined;
  /** Set in the context before the run goes on. */
  readonly inputs: Readonly<Record<string, JsonValue>> | undefined;
  /** A failed run is left alone like one that has succeeded: only where it was cut off it goes on. */
  readonly leavesFailure?: boolean;
}

/**
 * Goes on from the journal (§5.3, SEMANTICS 66). What had finished is not done again; what was under way is. A run that
 * has succeeded is left alone, and its result is given again.
 * @param environmentFor is given the folded state, so that scripted answers can go on where they stopped; it is called before
 * anything is changed
 * @throws RunError `run_locked`, `run_damaged` or `storage`
 */
export async function resumeRun(
  run: InterruptedRun,
  environmentFor: (state: RunState, continuation: Continuation) => RunEnvironment,
  fileSystem: FileSystem = nodeFileSystem,
): Promise<RunResult> {
  const { directory, manifest, program } = run;
  const lock = acquireLock(path.join(directory, runFiles.lock), fileSystem);
  try {
    const stageViews = new StageViews(program);
    const continuation = new Continuation(program);
    const session = recordedSession(run, fileSystem, (event, after) => {
      stageViews.note(event, after);
      continuation.note(event, after);
    });
    const { state, journalSize } = session;
    const environment = { ...environmentFor(state, continuation), fileSystem };
    const lost = lostEnd(directory, state, fileSystem);
    if (lost !== undefined) environment.onNotice?.(lost);
    restoreViews(directory, journalSize, stageViews, state, manifest.graph_hash, fileSystem);
    const isOver = state.status === 'success' || (state.status === 'fail' && run.leavesFailure === true);
    if (isOver && run.from === undefined)
      return resultOf(state, path.resolve(directory), environment.clock.now());
    renewOptions(directory, run.renewed, fileSystem, environment.redactor);
    return await driveRun(session, environment, firstInput(run, state));
  } finally {
    lock.release();
  }
}

/** A process that died before its first event was on the disk left nothing to resume: the run starts. */
function firstInput(run: InterruptedRun, state: RunState): InputBody {
  const { manifest, maxSteps, from, inputs } = run;
  if (state.status !== 'created') {
    return {
      kind: 'resume',
      ...(maxSteps !== undefined && { maxSteps }),
      ...givenBudgets(run),
      ...(from !== undefined && { nodeId: from }),
      ...(inputs !== undefined && { inputs }),
    };
  }
  const { max_steps, budget_usd, budget_tokens } = manifest.options;
  const limit = maxSteps ?? max_steps;
  return {
    kind: 'start',
    runId: manifest.run_id,
    ...(manifest.git && { commit: manifest.git.base }),
    graphHash: manifest.graph_hash,
    inputs: { ...manifest.inputs, ...inputs },
    ...(limit !== undefined && { maxSteps: limit }),
    ...givenBudgets({
      budgetUsd: run.budgetUsd ?? budget_usd,
      budgetTokens: run.budgetTokens ?? budget_tokens,
    }),
  };
}

/** The script that a run was started with. */
export function scriptOf(manifest: Manifest): SimulationScript {
  return manifest.options.script === undefined
    ? emptyScript
    : readScript(manifest.options.script, runFiles.manifest);
}

/** What a run was started with was checked then. @throws RunError `run_damaged` */
export function checkRecordedScript(directory: string, program: Program, script: SimulationScript): void {
  try {
    checkScript(program, script);
  } catch (error) {
    throw damagedManifest(directory, messageOf(error));
  }
}

/** To be called before anything else is made of the pipeline of a run. @throws RunError `run_damaged` */
export function checkPipeline(directory: string, manifest: Manifest, graph: Graph): void {
  if (graphHash(graph) === manifest.graph_hash) return;
  throw new RunError(
    'run_damaged',
    `${path.join(directory, runFiles.pipeline)} is not the pipeline that this run was started with. If nobody has changed the file, the transforms of the run are missing or are others: give them again (\`transforms\`, or the plugin that brings them). Otherwise restore it, or start a new run of the changed pipeline`,
  );
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
