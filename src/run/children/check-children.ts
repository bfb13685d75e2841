import path from 'node:path';
import type { Compilation } from '../../compiler/compile.js';
import type { RunState } from '../../machine/state.js';
import type { FileSystem } from '../../run-directory/file-system.js';
import { describeHolder, lockHolder } from '../../run-directory/lock.js';
import { type Manifest, readManifest } from '../../run-directory/manifest.js';
import { settingsOf } from '../../run-directory/manifest-settings.js';
import { readPipeline } from '../../run-directory/read-pipeline.js';
import { RunError } from '../../run-directory/run-error.js';
import { holdsRun, runFiles } from '../../run-directory/run-files.js';
import { emptyScript, type SimulationScript } from '../../run-directory/simulation-script.js';
import { stagePath } from '../../run-directory/stage-path.js';
import { readView } from '../../view/read-view.js';
import { checkPipeline } from '../check-pipeline.js';
import type { Continuation, FailedVisit } from '../continuation.js';
import { recordedSession, type StoredRun } from '../recorded-session.js';
import { childName, findMovedChild, isChildOf, type PlacedChild } from './child-place.js';

/** Run that is about to continue. */
export interface ResumingRun extends Pick<StoredRun, 'directory' | 'manifest' | 'program'> {
  readonly script: SimulationScript;
  readonly state: RunState;
  readonly continuation: Continuation;
  readonly fileSystem: FileSystem;
}

type Compile = (text: string) => Compilation;

/**
 * Checks the child runs with which a run will continue, and their children, before anything is written or
 * moved (§9.4, SEMANTICS 64): if a child is damaged, missing, or not the one that the stage had started, the
 * resume is refused instead of starting the child over.
 * @throws RunError `run_damaged`, `storage`, or `run_locked` if a child must be taken over that another
 * process executes
 */
export function checkChildren(run: ResumingRun, compile: Compile): void {
  if (run.state.status === 'success') return;
  for (const visit of run.continuation.failedVisits) {
    if (!run.script.nodes.has(visit.nodeId)) checkFailedVisit(run, visit, compile);
  }
  const { failure } = run.state;
  if (failure === undefined || failure.kind === 'timeout' || failure.branch !== undefined)
    checkUnderWay(run, compile);
}

/**
 * Checks the child of a visit that failed: in its original directory, moved with its visit, or taken over
 * already.
 */
function checkFailedVisit(run: ResumingRun, failed: FailedVisit, compile: Compile): void {
  const { nodeId, childId } = failed;
  if (childId === undefined) return;
  const { directory, fileSystem } = run;
  const stage = path.join(directory, failed.place);
  const usual = path.join(stage, childName(failed.attempt));
  const isChild = ({ manifest }: PlacedChild): boolean => manifest.run_id === childId;
  const there = holdsRun(usual, fileSystem)
    ? { place: usual, manifest: readManifest(usual, fileSystem) }
    : undefined;
  const found = there && isChild(there) ? there : (findMovedChild(stage, fileSystem, isChild) ?? there);
  const advice = `Restore the directory from a copy, or have the stage start over with \`--from ${nodeId}\``;
  const whose = `of stage "${nodeId}"`;
  if (found === undefined)
    throw damaged(`the child run ${childId} ${whose} is missing: ${usual} contains no run. ${advice}`);
  const { place: child, manifest } = found;
  if (manifest.run_id !== childId) {
    const other = `${child} holds the run ${manifest.run_id} ("${manifest.name}")`;
    throw damaged(`${other}, but the child run ${whose} is ${childId}. ${advice}`);
  }
  if (manifest.parent?.visit === failed.visit) refuseLocked(child, whose, fileSystem);
  const state = checkChild(child, manifest, fileSystem, compile);
  if (state?.status === 'created')
    throw damaged(
      `the journal ${path.join(child, runFiles.journal)} is empty or missing, although the child run ${whose} had failed. ${advice}`,
    );
}

function damaged(problem: string): RunError {
  return new RunError('run_damaged', `${problem}. Nothing was changed`);
}

/** Refuses a locked child: a directory in use can't be moved. */
function refuseLocked(child: string, whose: string, fileSystem: FileSystem): void {
  const holder = lockHolder(path.join(child, runFiles.lock), fileSystem);
  if (holder === undefined) return;
  throw new RunError(
    'run_locked',
    `the child run ${child} ${whose} is being executed by ${describeHolder(holder)}. Wait for it to end, or pause it, and resume then. Nothing was changed`,
  );
}

/** Checks the children of stages that were cut off or wait: only the child itself shows if it was started. */
function checkUnderWay(run: ResumingRun, compile: Compile): void {
  const { directory, state, program, script, fileSystem } = run;
  for (const { id, nodeId, phase, visit, attempt } of state.cursors.values()) {
    if (phase !== 'running' && phase !== 'suspended' && phase !== 'interrupted') continue;
    if (!program.nodes.get(nodeId)?.handler.runsChild || script.nodes.has(nodeId)) continue;
    const child = path.join(directory, stagePath(program, state, id, nodeId), childName(attempt));
    if (!holdsRun(child, fileSystem)) continue;
    const manifest = readManifest(child, fileSystem);
    const isOwn = isChildOf(manifest, { node: { id: nodeId }, runId: state.runId, visit, attempt });
    if (isOwn) checkChild(child, manifest, fileSystem, compile);
  }
}

/** @returns its state; undefined if its pipeline can no longer be read, which its stage will report */
function checkChild(
  directory: string,
  manifest: Manifest,
  fileSystem: FileSystem,
  compile: Compile,
): RunState | undefined {
  const { program, graph } = compile(readPipeline(directory, fileSystem));
  checkPipeline(directory, manifest, graph);
  if (program === undefined) {
    readView(directory);
    return undefined;
  }
  const settings = settingsOf(manifest);
  const { script = emptyScript } = settings;
  const recorded = { directory, manifest, program, settings };
  const { state, continuation } = recordedSession(recorded, fileSystem);
  checkChildren({ ...recorded, script, state, continuation, fileSystem }, compile);
  return state;
}
