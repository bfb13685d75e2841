import type { JsonValue } from '../../graph/json.js';
import { withInputs } from './context.js';
import type { ForkDraft } from './draft.js';
import { isSuccessful } from './outcome.js';
import { frozenMap, type PersistentMap, persistentMap } from './persistent.js';
import { arrivingCursor, type BranchOrigin, type Cursor, type Fork } from './state.js';

// What is kept of a parallel node that has failed, so that resuming the run does nothing again that had finished (SEMANTICS 66b).

/**
 * The branches of a parallel node that has failed.
 * @param count how many branches there are
 * @returns undefined where none of them could do anything more, so that only all of them together can run again
 */
export function failedForkOf(fork: Fork, count: number): Fork | undefined {
  if (fork.unfinished.size === 0 && fork.next === count) return undefined;
  return { ...fork, results: frozenMap(fork.results), before: undefined };
}

/** Takes over what the next branches came to in the visit before, up to the first one that is to run. */
export function skipFinished(fork: ForkDraft): void {
  const { before } = fork;
  if (before === undefined) return;
  for (let index = fork.next; !before.unfinished.has(index); index += 1) {
    const result = before.results.get(index);
    if (result === undefined) return;
    fork.results = fork.results.set(index, result);
    if (isSuccessful(result.status)) fork.successes += 1;
    fork.next = index + 1;
  }
}

/**
 * A branch that failed or was stopped, where it goes on: at the stage that failed or was stopped, or, where it had only not yet
 * gone on from a stage, behind that.
 */
export function resumedBranch(id: string, left: Cursor, branch: BranchOrigin, hasFailed: boolean): Cursor {
  const { context, updates, completed, fidelity, incomingEdge, previousNode } = left;
  const carried = { updates, completed, fidelity, resumedWithoutSession: true, visitIsExempt: true };
  if (left.phase === 'settled' && !hasFailed) return { ...left, ...carried, branch };
  const nodeId = placeOf(left, hasFailed);
  const isThere = nodeId === left.nodeId;
  return {
    ...arrivingCursor(id, nodeId, context),
    ...carried,
    branch,
    incomingEdge: isThere ? incomingEdge : undefined,
    previousNode: isThere ? previousNode : undefined,
    ...(isThere && { failedFork: left.failedFork, wasCutOff: left.wasCutOff }),
    ...(!hasFailed && { routedOutcome: left.routedOutcome, routedFrom: left.routedFrom }),
  };
}

function placeOf({ routedFrom, nodeId }: Cursor, hasFailed: boolean): string {
  return hasFailed ? (routedFrom ?? nodeId) : nodeId;
}

/** The stages that run again when the branches go on, those of branches inside of them too. */
export function unfinishedStages(fork: Fork | undefined): readonly string[] {
  if (fork === undefined) return [];
  return [...fork.unfinished].flatMap(([index, cursor]) => {
    const hasFailed = fork.results.get(index)?.status === 'fail';
    return [placeOf(cursor, hasFailed), ...unfinishedStages(cursor.failedFork)];
  });
}

/** The same branches, with values that are given when the run is resumed. */
export function forkWithInputs(
  fork: Fork | undefined,
  inputs: Readonly<Record<string, JsonValue>>,
): Fork | undefined {
  if (fork === undefined || Object.keys(inputs).length === 0) return fork;
  let unfinished: PersistentMap<number, Cursor> = persistentMap();
  for (const [index, cursor] of fork.unfinished) {
    const context = withInputs(cursor.context, inputs);
    const failedFork = forkWithInputs(cursor.failedFork, inputs);
    unfinished = unfinished.set(index, { ...cursor, context, failedFork });
  }
  return { ...fork, unfinished };
}
