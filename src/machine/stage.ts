import type { ProgramNode } from '../graph/program.js';
import { delayAfterAttempt } from '../graph/retry-policy.js';
import type { StageStarted } from './event.js';
import { degradeAfterResume, resolveFidelity, resolveThread } from './fidelity.js';
import type { Input } from './input.js';
import { withoutItemUpdates } from './item-scope.js';
import { reasonOf } from './outcome.js';
import { judgeAttempt } from './retry.js';
import { routableOutcome } from './routable-outcome.js';
import { branchOf, type Cursor } from './state.js';
import type { Transition } from './transition.js';
import { warnOfUnheard } from './unheard-words.js';

export function nodeOf(transition: Transition, cursor: Cursor): ProgramNode {
  const node = transition.program.nodes.get(cursor.nodeId);
  if (node === undefined) throw new Error(`the program has no node "${cursor.nodeId}"`);
  return node;
}

export function stageFields(
  node: ProgramNode,
  place: { readonly index: number; readonly attempt: number; readonly visit: number },
) {
  const { index, attempt, visit } = place;
  return { node_id: node.id, name: node.label, index, attempt, visit };
}

export function execute(transition: Transition, cursorId: string): void {
  const cursor = transition.cursor(cursorId);
  const { nodeId, visit, lineVisit, attempt, index, execution } = cursor;
  // A cursor has those of its latest LLM stage.
  const { fidelity, thread } = nodeOf(transition, cursor).handler.llm ? cursor : noSession;
  transition.perform({
    kind: 'execute',
    cursor: cursorId,
    nodeId,
    visit,
    lineVisit,
    attempt,
    index,
    execution,
    fidelity,
    thread,
    session: thread === undefined ? undefined : transition.state.sessions.get(thread),
  });
}

const noSession = { fidelity: undefined, thread: undefined } as const;

type CarryoverFields = Pick<StageStarted, 'fidelity' | 'thread_id' | 'degraded'>;

const noCarryover: CarryoverFields = {};

/** Fidelity with which an LLM stage starts, and the session that it shares (§5.4). */
export function carryoverFields(transition: Transition, cursor: Cursor, node: ProgramNode): CarryoverFields {
  if (!node.handler.llm) return noCarryover;
  const { program } = transition;
  const { incomingEdge, previousNode, id: branch } = cursor;
  const entry = { program, node, incomingEdge, previousNode, branch };
  const own = resolveFidelity(entry);
  const thread = own === 'full' ? resolveThread(entry) : undefined;
  const { mode, degraded } = degradeAfterResume({
    mode: own,
    isFirstAfterResume: cursor.resumedWithoutSession,
    previousUsedFull: cursor.fidelity === 'full',
    hasSession: thread !== undefined && transition.state.sessions.get(thread) !== undefined,
  });
  return {
    fidelity: mode,
    thread_id: mode === 'full' ? thread : undefined,
    degraded: degraded ? true : undefined,
  };
}

/** End of an attempt, as its driver reports it. */
type Settled = Pick<
  Extract<Input, { readonly kind: 'stage_settled' }>,
  'outcome' | 'commit' | 'simulated' | 'workedMs'
>;

/** Milliseconds of an attempt, without the time in which it waited for its turn. */
function durationOf({ input }: Transition, { startedAt }: Cursor, { workedMs }: Settled): number {
  const passed = input.now - startedAt;
  return workedMs === undefined ? passed : Math.min(workedMs, passed);
}

/** Records the outcome of an attempt and its consequences (§3.5). */
export function settle(transition: Transition, cursorId: string, settled: Settled): void {
  const { outcome, simulated } = settled;
  const cursor = transition.cursor(cursorId);
  const node = nodeOf(transition, cursor);
  const verdict = judgeAttempt(node, outcome, cursor.attempt);
  if (verdict.kind === 'retry') {
    transition.emit({
      type: 'StageFailed',
      ...stageFields(node, cursor),
      duration: durationOf(transition, cursor, settled),
      error: verdict.reason,
      will_retry: true,
      outcome,
      simulated,
      branch: branchOf(cursorId),
    });
    return scheduleRetry(transition, cursorId);
  }
  warnOfUnheard(transition, cursorId);
  const warn = (message: string): void => transition.log('warning', message, node.id);
  const own = withoutItemUpdates(cursor, verdict.outcome, warn);
  emitEnd(transition, cursor, node, { ...settled, outcome: routableOutcome(cursor, node, own) });
  if (transition.state.pausing === undefined) transition.next('leave', cursorId);
}

/** Records the end of a visit. */
function emitEnd(transition: Transition, cursor: Cursor, node: ProgramNode, settled: Settled): void {
  const { outcome, commit, simulated } = settled;
  const duration = durationOf(transition, cursor, settled);
  const branch = branchOf(cursor.id);
  const fields = stageFields(node, cursor);
  const end = { duration, outcome, commit, simulated, branch };
  switch (outcome.status) {
    case 'fail':
      return transition.emit({
        type: 'StageFailed',
        ...fields,
        duration,
        error: reasonOf(outcome),
        will_retry: false,
        outcome,
        commit,
        simulated,
        branch,
      });
    case 'skipped':
      return transition.emit({ type: 'StageSkipped', ...fields, ...end });
    default:
      return transition.emit({ type: 'StageCompleted', ...fields, ...end });
  }
}

export function scheduleRetry(transition: Transition, cursorId: string): void {
  const cursor = transition.cursor(cursorId);
  const node = nodeOf(transition, cursor);
  const backoff = delayAfterAttempt(node.retry.backoff, cursor.attempt - 1, transition.input.random);
  const delay = Math.max(backoff, cursor.retryAfterMs);
  transition.emit({
    type: 'StageRetrying',
    ...stageFields(node, cursor),
    delay,
    branch: branchOf(cursorId),
  });
  waitForRetry(transition, transition.cursor(cursorId));
}

/** Requests a timer for the end of the pause before the next attempt. */
export function waitForRetry(transition: Transition, { id, index, attempt, waitUntil }: Cursor): void {
  transition.perform({ kind: 'wait', cursor: id, index, attempt, until: waitUntil });
}

export function startAttempt(transition: Transition, cursorId: string): void {
  beginAttempt(transition, transition.cursor(cursorId));
}

export function restartAttempt(transition: Transition, cursor: Cursor): void {
  beginAttempt(transition, cursor, true);
}

/** @param resumed true if the same attempt has begun before */
function beginAttempt(transition: Transition, cursor: Cursor, resumed?: true): void {
  const node = nodeOf(transition, cursor);
  transition.emit({
    type: 'StageStarted',
    ...stageFields(node, cursor),
    resumed,
    ...carryoverFields(transition, cursor, node),
    branch: branchOf(cursor.id),
  });
  execute(transition, cursor.id);
}
