import type { JsonValue } from '../graph/json.js';
import { branchName, type Parallel } from '../graph/parallel.js';
import type { Program, ProgramNode } from '../graph/program.js';
import type { MergedValues } from '../graph/values/merge-values.js';
import { mergedBranches } from './evolve/evolve-parallel.js';
import type { Input } from './input.js';
import { type FailureDetails, failure, isSuccessful, type Outcome, type StageStatus } from './outcome.js';
import { nodeOf, settle, stageFields } from './stage.js';
import { type BranchOrigin, branchOf, type Cursor, type Fork, mainCursor, type RunState } from './state.js';
import type { Transition } from './transition.js';

/** Begins the branches of a parallel node (§4.8): of its edges, or of the items of a list (SEMANTICS 106). */
export function fanOut(
  transition: Transition,
  cursorId: string,
  { commit, items }: Pick<Extract<Input, { readonly kind: 'fan_out' }>, 'commit' | 'items'>,
): void {
  const cursor = transition.cursor(cursorId);
  const { node, parallel } = parallelNodeOf(transition, cursor);
  if (node.edges.length === 0) {
    const reason = `"${node.id}" has no outgoing edges, so it has no branches to run`;
    return settle(transition, cursorId, { outcome: failure(reason, { retryable: false }) });
  }
  const listed = parallel.foreach === undefined ? undefined : listItems(transition, cursor, items);
  transition.emit({
    type: 'ParallelStarted',
    ...stageFields(node, cursor),
    branch_count: listed?.count ?? node.edges.length,
    items: listed?.last,
    max_parallel: parallel.maxParallel,
    join: parallel.joinId,
    commit,
    kept: cursor.failedFork && keptBranches(cursor.failedFork.fork),
    branch: branchOf(cursorId),
  });
  watchTime(transition, cursorId);
  transition.next('advance_fork', cursorId);
}

/** Items of a parallel node for its next event. */
interface ListedItems {
  /** Number of all items. */
  readonly count: number;
  /** Last part of them; undefined if the items of before are used again. */
  readonly last: readonly JsonValue[] | undefined;
}

/** Records all items but the last part of them. */
function listItems(
  transition: Transition,
  cursor: Cursor,
  items: readonly (readonly JsonValue[])[] | undefined,
): ListedItems {
  if (items === undefined) return { count: knownItems(cursor)?.length ?? 0, last: undefined };
  const node = nodeOf(transition, cursor);
  let offset = 0;
  for (const part of items.slice(0, -1)) {
    transition.emit({
      type: 'ParallelItems',
      ...stageFields(node, cursor),
      offset,
      items: part,
      branch: branchOf(cursor.id),
    });
    offset += part.length;
  }
  const last = items.at(-1) ?? [];
  return { count: offset + last.length, last };
}

/**
 * Items that a parallel node uses again: those of an earlier attempt of its visit, or of the failed visit
 * whose branches are kept (SEMANTICS 106).
 */
export function knownItems({
  attempt,
  items,
  failedFork,
}: Pick<Cursor, 'attempt' | 'items' | 'failedFork'>): readonly JsonValue[] | undefined {
  return failedFork?.fork.items ?? (attempt > 1 ? items : undefined);
}

/** Number of branches of a failed visit that do not run again. */
function keptBranches({ results, unfinished }: Fork): number {
  return results.size - unfinished.size;
}

/** Requests a timer for the timeout of a parallel node. */
export function watchTime(transition: Transition, cursorId: string): void {
  const cursor = transition.cursor(cursorId);
  const until = deadlineOf(transition.state, nodeOf(transition, cursor), cursor);
  if (until === undefined) return;
  const { index, attempt } = cursor;
  transition.perform({ kind: 'wait', cursor: cursorId, index, attempt, until });
}

/**
 * Time at which a parallel node times out; as for any interrupted stage, the timeout starts over when the
 * run is resumed (SEMANTICS 30).
 */
function deadlineOf(state: RunState, { timeout }: ProgramNode, { fork }: Cursor): number | undefined {
  if (timeout === undefined || fork === undefined) return undefined;
  return Math.max(fork.startedAt, state.workedSince) + timeout.milliseconds;
}

/**
 * Starts the next branch if another one may run, and continues to the join once the ended branches decide
 * (SEMANTICS 49a, 52).
 */
export function advanceFork(transition: Transition, cursorId: string): void {
  const cursor = transition.cursor(cursorId);
  const { fork } = cursor;
  if (fork === undefined) return;
  const { node, parallel } = parallelNodeOf(transition, cursor);
  if (isDecided(parallel, fork)) return join(transition, cursorId);
  if (transition.state.pausing !== undefined) return;
  if (fork.next === fork.count || fork.next - fork.results.size >= parallel.maxParallel) return;
  transition.next('advance_fork', cursorId);
  startBranch(transition, cursor, node, parallel, fork.next);
}

/** True if the ended branches of a parallel node decide its outcome. */
export function isForkDecided({ nodes }: Program, { nodeId, fork }: Cursor): boolean {
  const node = nodes.get(nodeId);
  if (node?.parallel === undefined || fork === undefined) return false;
  return isDecided(node.parallel, fork);
}

function isDecided({ errorPolicy, joinPolicy }: Parallel, fork: Fork): boolean {
  if (fork.results.size === fork.count) return true;
  if (errorPolicy === 'fail_fast' && fork.failures > 0) return true;
  return joinPolicy === 'first_success' && fork.successes > 0;
}

/** Starts a branch; one that did not finish in the visit before continues where it was (SEMANTICS 66b). */
function startBranch(
  transition: Transition,
  { id: parent, fork }: Cursor,
  node: ProgramNode,
  parallel: Parallel,
  index: number,
): void {
  const name = branchName(parallel, index);
  const branch = parent === mainCursor ? name : `${parent}/${name}`;
  const isResumed = fork?.before?.unfinished.has(index) === true;
  transition.emit({
    type: 'ParallelBranchStarted',
    branch,
    index,
    node_id: node.id,
    resumed: isResumed ? true : undefined,
    parent: branchOf(parent),
  });
  transition.next(isResumed ? 'resume' : 'arrive', branch);
}

/** Finishes a branch that has arrived at the join, at the exit, or at a dead end (SEMANTICS 48a). */
export function finishBranch(
  transition: Transition,
  cursorId: string,
  end: { readonly status: StageStatus; readonly error?: string },
): void {
  const { branch } = transition.cursor(cursorId);
  if (branch === undefined) throw new Error(`"${cursorId}" is not a branch`);
  completeBranch(transition, cursorId, branch, end);
  transition.next('advance_fork', branch.parent);
}

function completeBranch(
  transition: Transition,
  cursorId: string,
  { parent, parallelId, index, startedAt }: BranchOrigin,
  { status, error }: { readonly status: StageStatus; readonly error?: string },
): void {
  transition.emit({
    type: 'ParallelBranchCompleted',
    branch: cursorId,
    index,
    node_id: parallelId,
    duration: transition.input.now - startedAt,
    success: isSuccessful(status),
    status,
    error,
    parent: branchOf(parent),
  });
}

/**
 * True at the end of a branch: at the exit, at the join of its parallel node, or at the join of an
 * enclosing parallel node, which the branch does not execute either (SEMANTICS 48).
 */
export function isBranchEnd(transition: Transition, { branch, nodeId }: Cursor): boolean {
  if (branch === undefined) return false;
  const { exitId, nodes } = transition.program;
  if (nodeId === exitId) return true;
  for (let around: BranchOrigin | undefined = branch; around !== undefined; ) {
    if (nodeId === nodes.get(around.parallelId)?.parallel?.joinId) return true;
    around = transition.cursor(around.parent).branch;
  }
  return false;
}

/** Joins the branches; those that are still under way no longer matter. */
function join(transition: Transition, cursorId: string): void {
  const fork = forkOf(transition.cursor(cursorId));
  if (fork.results.size < fork.next) stopBranches(transition, cursorId, 'the other branches have decided');
  completeFork(transition, cursorId);
}

/** Times a parallel node out: it fails, and its branches are stopped (SEMANTICS 30). */
export function timeOutFork(transition: Transition, cursorId: string): void {
  const cursor = transition.cursor(cursorId);
  const node = nodeOf(transition, cursor);
  const deadline = deadlineOf(transition.state, node, cursor);
  if (deadline === undefined || transition.input.now < deadline) return;
  // Recorded first, so that a run that is cut off before the last branch is stopped knows the reason.
  completeFork(transition, cursorId, `timeout after ${node.timeout?.text ?? ''}`);
}

function completeFork(transition: Transition, cursorId: string, error?: string): void {
  const cursor = transition.cursor(cursorId);
  const fork = forkOf(cursor);
  const node = nodeOf(transition, cursor);
  if (node.timeout !== undefined && error === undefined) {
    const reason = 'the branches met in time';
    transition.perform({ kind: 'abort', cursor: cursorId, why: 'cancelled', reason });
  }
  transition.emit({
    type: 'ParallelCompleted',
    ...stageFields(node, cursor),
    duration: transition.input.now - fork.startedAt,
    success_count: fork.successes,
    failure_count: fork.failures,
    error,
    branch: branchOf(cursorId),
  });
  transition.next('settle_fork', cursorId);
}

/** Settles a parallel node whose branches have met or timed out. */
export function settleFork(transition: Transition, cursorId: string): void {
  const { error } = forkOf(transition.cursor(cursorId));
  if (error !== undefined) stopBranches(transition, cursorId, error);
  const cursor = transition.cursor(cursorId);
  const { node, parallel } = parallelNodeOf(transition, cursor);
  const outcome =
    error === undefined
      ? afterMerge(joinOutcome(parallel, forkOf(cursor)), mergedBranches(transition.program, cursor))
      : failure(error, { retryable: node.retry.maxAttempts > 1 });
  settle(transition, cursorId, { outcome });
}

function forkOf({ nodeId, fork }: Cursor): Fork {
  if (fork === undefined) throw new Error(`"${nodeId}" has no branches to join`);
  return fork;
}

/** Stops the running branches, nested ones first; each is recorded as skipped (SEMANTICS 52). */
function stopBranches(transition: Transition, parentId: string, why: string): void {
  for (const [id, cursor] of [...transition.state.cursors]) {
    if (cursor.branch?.parent !== parentId) continue;
    const { branch } = cursor;
    stopBranches(transition, id, why);
    stopStage(transition, cursor, why);
    completeBranch(transition, id, branch, { status: 'skipped', error: `stopped: ${why}` });
  }
}

function stopStage(transition: Transition, cursor: Cursor, why: string): void {
  if (cursor.phase === 'settled' || cursor.phase === 'arriving') return;
  transition.perform({ kind: 'abort', cursor: cursor.id, why: 'cancelled', reason: why });
  transition.emit({
    type: 'StageSkipped',
    ...stageFields(nodeOf(transition, cursor), cursor),
    stopped: true,
    duration: transition.input.now - cursor.startedAt,
    outcome: { status: 'skipped', notes: `stopped: ${why}` },
    branch: branchOf(cursor.id),
  });
}

/** Outcome of the branches together (§4.8, SEMANTICS 49, 49a, 52). */
function joinOutcome(parallel: Parallel, fork: Fork): Outcome {
  const { failures, successes, count } = fork;
  if (count === 0) return { status: 'success', notes: 'the list has no items' };
  const counted = parallel.errorPolicy === 'ignore' ? count - failures : count;
  const notes = `${successes} of ${count} branches succeeded`;
  if (parallel.errorPolicy === 'fail_fast' && failures > 0) return failure(firstFailure(fork), lasting(fork));
  if (counted === 0) return { status: 'success', notes: `${notes}; their failures are ignored` };
  const needed = neededSuccesses(parallel, counted);
  if (needed !== undefined) {
    if (successes >= needed) return { status: 'success', notes };
    const because = failures > 0 ? `; ${firstFailure(fork)}` : '';
    const reason = `${notes}, and \`join_policy=${parallel.joinPolicy}\` needs ${needed}${because}`;
    return failure(reason, lasting(fork));
  }
  const isWhole = failures === 0 || parallel.errorPolicy === 'ignore';
  return { status: isWhole ? 'success' : 'partial_success', notes };
}

/**
 * Outcome after the values of the branches were merged (SEMANTICS 107): a failure if they contradict each other under
 * `on_conflict=error`.
 */
function afterMerge(outcome: Outcome, { values, conflict }: MergedValues): Outcome {
  if (outcome.status === 'fail') return outcome;
  if (conflict === undefined) return withCount(outcome, Object.keys(values).length);
  const [one, other] = conflict.branches;
  const found = conflict.isPutAside
    ? 'values that are artifacts, which are not compared'
    : 'different values';
  const reason = `the branches "${one}" and "${other}" set \`${conflict.key}\` to ${found}; \`on_conflict=error\` then fails, and nothing is merged`;
  return failure(reason, { retryable: false });
}

function withCount(outcome: Outcome, count: number): Outcome {
  if (count === 0) return outcome;
  return { ...outcome, notes: `${outcome.notes ?? ''}; ${count} ${count === 1 ? 'value' : 'values'} merged` };
}

/** Details of a parallel failure: it is terminal if every failed branch is (Appendix D). */
function lasting({ failures, terminalFailures }: Fork): FailureDetails {
  return failures > 0 && failures === terminalFailures ? { retryable: false } : {};
}

/** Number of branches that must succeed; undefined if all are awaited and none must. */
function neededSuccesses(parallel: Parallel, counted: number): number | undefined {
  switch (parallel.joinPolicy) {
    case 'wait_all':
      return undefined;
    case 'first_success':
      return 1;
    case 'k_of_n':
      return parallel.joinK;
    case 'quorum':
      return Math.ceil(parallel.joinQuorum * counted - roundingError);
  }
}

/** Tolerance of binary fractions: three fifths of five are three. */
const roundingError = 1e-9;

function firstFailure({ results }: Fork): string {
  const failed = [...results]
    .filter(([, { status }]) => status === 'fail')
    .sort(([one], [other]) => one - other);
  const [first] = failed;
  return first === undefined
    ? 'no branch failed'
    : `branch "${first[1].id}" failed: ${first[1].failure_reason}`;
}

function parallelNodeOf(
  transition: Transition,
  cursor: Cursor,
): { readonly node: ProgramNode; readonly parallel: Parallel } {
  const node = nodeOf(transition, cursor);
  if (node.parallel === undefined) throw new Error(`"${node.id}" is not a parallel node`);
  return { node, parallel: node.parallel };
}
