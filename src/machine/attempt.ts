import type { ProgramNode } from '../graph/program.js';
import { delayAfterAttempt } from '../graph/retry-policy.js';
import type { Input } from './input.js';
import { reasonOf } from './outcome.js';
import { judgeAttempt } from './retry.js';
import { routableOutcome } from './routable-outcome.js';
import { carryoverFields, execute, nodeOf, stageFields } from './stage.js';
import { branchOf, type Cursor } from './state.js';
import type { Transition } from './transition.js';

/** The end of an attempt, as its driver reports it. */
type Settled = Pick<Extract<Input, { readonly kind: 'stage_settled' }>, 'outcome' | 'commit' | 'simulated'>;

/** Records the outcome of an attempt, and what follows from it (§3.5). */
export function settle(transition: Transition, cursorId: string, settled: Settled): void {
  const { outcome, simulated } = settled;
  const cursor = transition.cursor(cursorId);
  const node = nodeOf(transition, cursor);
  const verdict = judgeAttempt(node, outcome, cursor.attempt);
  if (verdict.kind === 'retry') {
    transition.emit({
      type: 'StageFailed',
      ...stageFields(node, cursor),
      duration: transition.input.now - cursor.startedAt,
      error: verdict.reason,
      will_retry: true,
      outcome,
      simulated,
      branch: branchOf(cursorId),
    });
    return scheduleRetry(transition, cursorId);
  }
  emitEnd(transition, cursor, node, { ...settled, outcome: routableOutcome(cursor, node, verdict.outcome) });
  if (transition.state.pausing === undefined) transition.next('leave', cursorId);
}

/** Records how a visit has ended. */
function emitEnd(
  transition: Transition,
  cursor: Cursor,
  node: ProgramNode,
  { outcome, commit, simulated }: Settled,
): void {
  const duration = transition.input.now - cursor.startedAt;
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

/** Asks to be woken when the pause before the next attempt is over. */
export function waitForRetry(transition: Transition, { id, index, attempt, waitUntil }: Cursor): void {
  transition.perform({ kind: 'wait', cursor: id, index, attempt, until: waitUntil });
}

export function startAttempt(transition: Transition, cursorId: string): void {
  beginAttempt(transition, transition.cursor(cursorId));
}

export function restartAttempt(transition: Transition, cursor: Cursor): void {
  beginAttempt(transition, cursor, true);
}

/** @param resumed set where the same attempt has begun before */
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
