import type { Parallel } from '../../graph/parallel.js';
import type { ProgramNode } from '../../graph/program.js';
import { settle } from './attempt.js';
import { failure, isSuccessful, type Outcome, type StageStatus } from './outcome.js';
import { nodeOf, stageFields } from './stage.js';
import { type BranchOrigin, type Cursor, type Fork, mainCursor } from './state.js';
import type { Transition } from './transition.js';

/** Begins the branches of a parallel node (§4.8). */
export function fanOut(transition: Transition, cursorId: string): void {
  const cursor = transition.cursor(cursorId);
  const { node, parallel } = parallelNodeOf(transition, cursor);
  if (node.edges.length === 0) {
    const reason = `"${node.id}" has no outgoing edges, so it has no branches to run`;
    return settle(transition, cursorId, failure(reason, { retryable: false }));
  }
  transition.emit({
    type: 'ParallelStarted',
    ...stageFields(node, cursor),
    branch_count: node.edges.length,
    max_parallel: parallel.maxParallel,
    join: parallel.joinId,
    ...transition.branchOf(cursorId),
  });
  watchTime(transition, cursorId);
  transition.next('advance_fork', cursorId);
}

/** Asks to be woken when the time of a parallel node is up. */
export function watchTime(transition: Transition, cursorId: string): void {
  const { fork, index, attempt, nodeId } = transition.cursor(cursorId);
  const timeout = transition.program.nodes.get(nodeId)?.timeout;
  if (timeout === undefined || fork === undefined) return;
  const until = fork.startedAt + timeout.milliseconds;
  transition.perform({ kind: 'wait', cursor: cursorId, index, attempt, until });
}

/**
 * Starts the next branch if one more may run, and goes on to the join where what the branches have done decides
 * (SEMANTICS 49a, 52).
 */
export function advanceFork(transition: Transition, cursorId: string): void {
  const cursor = transition.cursor(cursorId);
  const { fork } = cursor;
  if (fork === undefined) return;
  const { node, parallel } = parallelNodeOf(transition, cursor);
  const count = node.edges.length;
  if (isDecided(parallel, fork, count)) return join(transition, cursorId);
  if (transition.state.pausing !== undefined) return;
  if (fork.next === count || fork.next - fork.results.size >= parallel.maxParallel) return;
  transition.next('advance_fork', cursorId);
  startBranch(transition, cursorId, node, parallel, fork.next);
}

function isDecided({ errorPolicy, joinPolicy }: Parallel, fork: Fork, count: number): boolean {
  if (fork.results.size === count) return true;
  if (errorPolicy === 'fail_fast' && fork.failures > 0) return true;
  return joinPolicy === 'first_success' && fork.successes > 0;
}

function startBranch(
  transition: Transition,
  parentId: string,
  node: ProgramNode,
  parallel: Parallel,
  index: number,
): void {
  const name = parallel.branchNames[index] ?? '';
  const branch = parentId === mainCursor ? name : `${parentId}/${name}`;
  transition.emit({
    type: 'ParallelBranchStarted',
    branch,
    index,
    node_id: node.id,
    ...(parentId !== mainCursor && { parent: parentId }),
  });
  transition.next('arrive', branch);
}

/** A branch that has arrived where the branches meet, at the exit, or at a dead end (SEMANTICS 48a). */
export function finishBranch(
  transition: Transition,
  cursorId: string,
  end: { readonly status: StageStatus; readonly error?: string },
): void {
  const { branch } = transition.cursor(cursorId);
  if (branch === undefined) throw new Error(`"${cursorId}" is no branch`);
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
    ...(parent !== mainCursor && { parent }),
    duration: transition.input.now - startedAt,
    success: isSuccessful(status),
    status,
    ...(error !== undefined && { error }),
  });
}

/** Where a branch ends: at the join of its parallel node, or at the exit. */
export function isBranchEnd({ program }: Transition, { branch, nodeId }: Cursor): boolean {
  if (branch === undefined) return false;
  return nodeId === program.exitId || nodeId === program.nodes.get(branch.parallelId)?.parallel?.joinId;
}

function join(transition: Transition, cursorId: string): void {
  const why = 'the other branches have decided';
  stopBranches(transition, cursorId, why);
  const cursor = transition.cursor(cursorId);
  const { fork } = cursor;
  if (fork === undefined) throw new Error(`"${cursor.nodeId}" has no branches to join`);
  transition.emit({
    type: 'ParallelCompleted',
    ...stageFields(nodeOf(transition, cursor), cursor),
    duration: transition.input.now - fork.startedAt,
    success_count: fork.successes,
    failure_count: fork.failures,
    ...transition.branchOf(cursorId),
  });
  transition.next('settle_fork', cursorId);
}

/** Gives a parallel node whose branches have met its outcome. */
export function settleFork(transition: Transition, cursorId: string): void {
  const cursor = transition.cursor(cursorId);
  const { node, parallel } = parallelNodeOf(transition, cursor);
  if (cursor.fork === undefined) throw new Error(`"${node.id}" has no branches to join`);
  settle(transition, cursorId, joinOutcome(parallel, cursor.fork, node.edges.length));
}

/** The time of a parallel node is up: its branches are stopped, and it fails (SEMANTICS 30). */
export function timeOutFork(transition: Transition, cursorId: string): void {
  const node = nodeOf(transition, transition.cursor(cursorId));
  const reason = `timeout after ${node.timeout?.text ?? ''}`;
  stopBranches(transition, cursorId, reason);
  settle(transition, cursorId, failure(reason, { retryable: node.retry.maxAttempts > 1 }));
}

/** Stops the branches that are under way, those inside of them first; each is recorded as skipped (SEMANTICS 52). */
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
    duration: transition.input.now - cursor.startedAt,
    outcome: { status: 'skipped', notes: `stopped: ${why}` },
    ...transition.branchOf(cursor.id),
  });
}

/** What the branches together amount to (§4.8, SEMANTICS 49, 49a, 52). */
function joinOutcome(parallel: Parallel, fork: Fork, count: number): Outcome {
  const { failures, successes } = fork;
  const counted = parallel.errorPolicy === 'ignore' ? count - failures : count;
  const notes = `${successes} of ${count} branches succeeded`;
  if (parallel.errorPolicy === 'fail_fast' && failures > 0) return failure(firstFailure(fork));
  if (counted === 0) return { status: 'success', notes: `${notes}; their failures are ignored` };
  const needed = neededSuccesses(parallel, counted);
  if (needed !== undefined) {
    if (successes >= needed) return { status: 'success', notes };
    const because = failures > 0 ? `; ${firstFailure(fork)}` : '';
    return failure(`${notes}, and \`join_policy=${parallel.joinPolicy}\` needs ${needed}${because}`);
  }
  const isWhole = failures === 0 || parallel.errorPolicy === 'ignore';
  return { status: isWhole ? 'success' : 'partial_success', notes };
}

/** How many branches must succeed; undefined where all are waited for and none must. */
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

/** Three fifths of five are three, whatever binary fractions say. */
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
  if (node.parallel === undefined) throw new Error(`"${node.id}" is no parallel node`);
  return { node, parallel: node.parallel };
}
