import type { StageBudget, StageBudgets } from '../../graph/budget-limit.js';
import type { Program } from '../../graph/program.js';
import { initialContext, withUpdates } from '../context.js';
import { changeCursor, type Draft } from '../draft.js';
import {
  type FailureKind,
  forked,
  type LoopRestarted,
  type PipelineFailed,
  type PipelineResumed,
  type PipelineStarted,
  type RunEvent,
} from '../event.js';
import { forkWithInputs } from '../failed-fork.js';
import { type Files, filesAt, filesBeforeKey, resumesInside } from '../files.js';
import { isInterruption } from '../interview.js';
import { addInputsInBranch } from '../item-scope.js';
import { nameList, orderedPersistentMap, persistentMap } from '../persistent.js';
import {
  arrivingCursor,
  type Cursor,
  cursorNamed,
  mainCursor,
  type RunState,
  type RunStatus,
} from '../state.js';

/** A run begins at its start node with the context of its graph and its inputs (§3.2). */
export function runStarted(
  program: Program,
  draft: Draft,
  event: PipelineStarted & RunEvent,
  at: number,
): void {
  draft.runId = event.run_id;
  draft.status = 'running';
  draft.startedAt = at;
  draft.workedSince = at;
  draft.inputs = event.inputs;
  draft.maxSteps = event.max_steps;
  draft.budgetUsd = event.budget_usd;
  draft.budgetTokens = event.budget_tokens;
  draft.stageBudgets = withStageBudgets(draft.stageBudgets, event.stage_budgets);
  const context = initialContext(program.graph.attributes, event.inputs);
  const files = event.commit === undefined ? undefined : filesAt(event.commit);
  draft.cursors.set(mainCursor, { ...arrivingCursor(mainCursor, program.startId, context), files });
}

/**
 * Resumes a run: a failed one goes back to the stage that failed, with fresh retries (SEMANTICS 66b, 85);
 * any run may continue at another node, which ends all its branches.
 * @param lastEventAt latest time at which a run that was cut off is known to have been at work
 */
export function runResumed(
  program: Program,
  draft: Draft,
  event: PipelineResumed,
  at: number,
  lastEventAt: number,
): void {
  const inputs = event.inputs ?? {};
  const { failure } = draft;
  // A run that was cut off continues as if it had not been; if it had stopped, its cause may have been
  // removed since.
  if (draft.status === 'running') runStopped(draft, 'running', lastEventAt);
  if (event.from === forked) draft.startedAt = at;
  if (event.from === forked || draft.status !== 'running') draft.terminalFailures = persistentMap();
  if (failure?.kind === 'timeout') draft.workedBefore = 0;
  draft.status = 'running';
  draft.endedAt = undefined;
  draft.failure = undefined;
  draft.pausedReason = undefined;
  draft.pausing = undefined;
  draft.workedSince = at;
  for (const id of draft.cursors.keys()) {
    const cursor = changeCursor(draft, id);
    cursor.resumedWithoutSession = true;
    // A question of the engine about a stage is asked again, instead of just running the stage.
    const asked = cursor.question?.question;
    if (cursor.phase === 'suspended' && asked !== undefined && isInterruption(asked))
      cursor.phase = 'interrupted';
    cursor.context = addInputsInBranch(cursor, inputs);
  }
  draft.maxSteps = event.max_steps ?? draft.maxSteps;
  draft.budgetUsd = event.budget_usd ?? draft.budgetUsd;
  draft.budgetTokens = event.budget_tokens ?? draft.budgetTokens;
  draft.stageBudgets = withStageBudgets(draft.stageBudgets, event.stage_budgets);
  draft.inputs = { ...draft.inputs, ...inputs };
  if (event.node_id === undefined && failure !== undefined && staysInPlace(failure)) {
    if (failure.kind === 'limit') changeCursor(draft, failure.branch).visitIsExempt = true;
    return;
  }
  const nodeId = event.node_id ?? failure?.resumeAt;
  if (nodeId === undefined) return;
  const main = mainCursorOf(draft);
  const { context, stages, branchStages, fidelity, resumedWithoutSession, steps } = main;
  const goesOnThere = event.node_id === undefined && main.failedFork?.nodeId === nodeId;
  const failedFork = goesOnThere ? forkWithInputs(main.failedFork, inputs) : undefined;
  const cursor = { ...arrivingCursor(mainCursor, nodeId, context), stages, branchStages, failedFork, steps };
  const files = resumedFiles(
    program,
    draft,
    nodeId,
    event.node_id === undefined ? failure?.kind : 'elsewhere',
  );
  draft.cursors.clear();
  draft.cursors.set(mainCursor, { ...cursor, files, visitIsExempt: true, fidelity, resumedWithoutSession });
}

/** Budgets of stages with those of a call, which change each unit for itself. */
function withStageBudgets(
  before: ReadonlyMap<string, StageBudget>,
  given: StageBudgets = {},
): ReadonlyMap<string, StageBudget> {
  const after = new Map(before);
  for (const [id, budget] of Object.entries(given)) after.set(id, { ...before.get(id), ...budget });
  return after;
}

/**
 * Files with which the run continues at a node: those before its last visit, if that visit is undone. A
 * failure that blocks a node does not undo it, and finished work of a child run that continues is kept.
 */
function resumedFiles(
  program: Program,
  draft: Draft,
  nodeId: string,
  why: FailureKind | 'elsewhere' | undefined,
): Files | undefined {
  const { files } = mainCursorOf(draft);
  if (files === undefined) return undefined;
  const isUndone =
    why === 'elsewhere' || (why === 'stage' && !resumesInside(program, nodeId)) || why === 'routing';
  const before = isUndone ? draft.filesBefore.get(filesBeforeKey(nodeId)) : undefined;
  return before === undefined ? filesAt(files.commit) : { ...before, line: files.line };
}

/** Ends the work on the run for now; the cursors stay where they are. */
export function runStopped(draft: Draft, status: RunStatus, at: number, reason?: string): void {
  draft.status = status;
  draft.pausing = undefined;
  draft.pausedReason = reason;
  draft.workedBefore += Math.max(0, at - draft.workedSince);
  draft.workedSince = at;
}

/** Ends a run for good, with no cursor left to continue. */
export function runEnded(draft: Draft, status: RunStatus, at: number): void {
  runStopped(draft, status, at);
  draft.endedAt = at;
  changeCursor(draft, mainCursor).phase = 'finished';
}

/** A run has failed (§3.7); resuming it continues at the stage that its failure names (SEMANTICS 85). */
export function runFailed(draft: Draft, event: PipelineFailed, at: number): void {
  const { kind, error: reason, node_id: nodeId, branch } = event;
  const failure = { kind, reason, nodeId, resumeAt: event.resume_at ?? nodeId, branch };
  draft.failure = failure;
  if (!staysInPlace(failure)) return runEnded(draft, 'fail', at);
  runStopped(draft, 'fail', at);
  draft.endedAt = at;
}

/**
 * Restarts everything except the values that distinguish executions: ordinals, scripts and answers continue
 * (SEMANTICS 36, 86).
 */
export function loopRestarted(program: Program, draft: Draft, event: LoopRestarted): void {
  draft.restarts = event.restart;
  draft.path = nameList().asMutable();
  draft.completed = nameList().asMutable();
  draft.lastCompleted = undefined;
  draft.outcomes = orderedPersistentMap();
  draft.gateSources = persistentMap();
  draft.statuses = persistentMap();
  draft.retries = persistentMap();
  draft.visits = persistentMap();
  draft.lineVisits = persistentMap();
  draft.failedBranches = persistentMap();
  draft.goalGateRedirects = 0;
  draft.sessions = persistentMap();
  const first = initialContext(program.graph.attributes, draft.inputs).set(
    'internal.restart_count',
    event.restart,
  );
  const context = withUpdates(first, draft.initialValues ?? {});
  const { files } = mainCursorOf(draft);
  draft.cursors.clear();
  draft.cursors.set(mainCursor, { ...arrivingCursor(mainCursor, event.node_id, context), files });
}

function mainCursorOf(draft: Draft): Cursor {
  return cursorNamed(draft, mainCursor);
}

/** True for a failure after which every cursor stays where it is, and resuming continues with all of them. */
function staysInPlace({ kind, branch }: Pick<NonNullable<RunState['failure']>, 'kind' | 'branch'>): boolean {
  return kind === 'timeout' || kind === 'property' || branch !== undefined;
}
