import type { JsonValue } from '../graph/json.js';
import type { Program } from '../graph/program.js';
import type { ForkDraft } from './draft.js';
import { addInputsInBranch } from './item-scope.js';
import { isSuccessful, type Outcome } from './outcome.js';
import { type PersistentMap, persistentMap } from './persistent.js';
import { arrivingCursor, type BranchOrigin, type Cursor, type FailedFork, type Fork } from './state.js';

// Keeps the finished branches of a failed parallel node, so that resuming the run does not repeat them
// (SEMANTICS 66b).

/**
 * Branches of a settled parallel node that may have to continue.
 * @param nodeId the parallel node
 * @returns undefined if neither it nor all of its branches failed; and if none of them has anything left to
 * do, so that only all of them together can run again
 */
export function failedForkOf(nodeId: string, fork: Fork, { status }: Outcome): FailedFork | undefined {
  const isFinished = fork.unfinished.size === 0 && fork.next === fork.count;
  if (isFinished || (isSuccessful(status) && !haveAllFailed(fork))) return undefined;
  return { nodeId, fork: { ...fork, before: undefined } };
}

function haveAllFailed({ failures, results }: Fork): boolean {
  return failures === results.size;
}

/**
 * Stage that runs again when a failure is resumed (SEMANTICS 66b): the one that failed, as a diamond only
 * passes on what it inherits (SEMANTICS 21); and if a fan-in had nothing to choose from, the parallel node
 * whose branches failed.
 */
export function resumptionNode(
  program: Program,
  { nodeId, routedFrom = nodeId, failedFork }: Pick<Cursor, 'nodeId' | 'routedFrom' | 'failedFork'>,
): string {
  const isFanIn = program.nodes.get(routedFrom)?.handler.joins === true;
  if (isFanIn && failedFork !== undefined && haveAllFailed(failedFork.fork)) return failedFork.nodeId;
  return routedFrom;
}

/** Takes over the results of the next branches from the visit before, up to the first one that is to run. */
export function skipFinished(fork: ForkDraft): void {
  const { before } = fork;
  if (before === undefined) return;
  for (let index = fork.next; !before.unfinished.has(index); index += 1) {
    const result = before.results.get(index);
    if (result === undefined) return;
    fork.results = fork.results.set(index, result);
    const files = before.files.get(index);
    if (files !== undefined) fork.files = fork.files.set(index, files);
    const stages = before.stages.get(index);
    if (stages !== undefined) fork.stages = fork.stages.set(index, stages);
    if (isSuccessful(result.status)) fork.successes += 1;
    fork.next = index + 1;
  }
}

/**
 * Cursor with which a failed or stopped branch continues: at the stage that failed or was stopped, or after
 * it if it had already settled.
 */
export function resumedBranch(
  program: Program,
  id: string,
  left: Cursor,
  branch: BranchOrigin,
  hasFailed: boolean,
): Cursor {
  const { context, updates, completed, steps, fidelity, failedFork, incomingEdge, previousNode } = left;
  const { stages, branchStages } = left;
  const kept = { updates, completed, steps, fidelity, stages, branchStages };
  const carried = { ...kept, resumedWithoutSession: true, visitIsExempt: true };
  if (left.phase === 'settled' && !hasFailed) return { ...left, ...carried, branch };
  const nodeId = continuationNode(program, left, hasFailed);
  const isThere = nodeId === left.nodeId;
  return {
    ...arrivingCursor(id, nodeId, context),
    ...carried,
    branch,
    incomingEdge: isThere ? incomingEdge : undefined,
    previousNode: isThere ? previousNode : undefined,
    failedFork: failedFork?.nodeId === nodeId ? failedFork : undefined,
    wasCutOff: isThere && left.wasCutOff,
    routedOutcome: hasFailed ? undefined : left.routedOutcome,
    routedFrom: hasFailed ? undefined : left.routedFrom,
  };
}

function continuationNode(program: Program, left: Cursor, hasFailed: boolean): string {
  return hasFailed ? resumptionNode(program, left) : left.nodeId;
}

/** Stage that runs again, and the cursor that will execute it. */
export interface UnfinishedStage {
  readonly nodeId: string;
  readonly cursor: string;
}

/** Stages that run again when the branches continue, including those of nested branches. */
export function unfinishedStages(
  program: Program,
  failed: FailedFork | undefined,
): readonly UnfinishedStage[] {
  if (failed === undefined) return [];
  const { results, unfinished } = failed.fork;
  return [...unfinished].flatMap(([index, cursor]) => {
    const nodeId = continuationNode(program, cursor, results.get(index)?.status === 'fail');
    const { failedFork } = cursor;
    const inside = failedFork?.nodeId === nodeId ? unfinishedStages(program, failedFork) : [];
    return [{ nodeId, cursor: cursor.id }, ...inside];
  });
}

/** The same branches, with inputs that are given when the run is resumed. */
export function forkWithInputs(
  failed: FailedFork | undefined,
  inputs: Readonly<Record<string, JsonValue>>,
): FailedFork | undefined {
  if (failed === undefined || Object.keys(inputs).length === 0) return failed;
  let unfinished: PersistentMap<number, Cursor> = persistentMap();
  for (const [index, cursor] of failed.fork.unfinished) {
    const context = addInputsInBranch(cursor, inputs);
    const failedFork = forkWithInputs(cursor.failedFork, inputs);
    unfinished = unfinished.set(index, { ...cursor, context, failedFork });
  }
  return { ...failed, fork: { ...failed.fork, unfinished } };
}
