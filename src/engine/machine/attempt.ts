import { delayAfterAttempt } from '../../graph/retry-policy.js';
import { type Outcome, reasonOf } from './outcome.js';
import { judgeAttempt } from './retry.js';
import { carryoverFields, execute, nodeOf, stageFields } from './stage.js';
import type { Cursor } from './state.js';
import type { Transition } from './transition.js';

/** Records the outcome of an attempt, and what follows from it (§3.5). */
export function settle(transition: Transition, cursorId: string, outcome: Outcome): void {
  const cursor = transition.cursor(cursorId);
  const node = nodeOf(transition, cursor);
  const fields = {
    ...stageFields(node, cursor),
    duration: transition.input.now - cursor.startedAt,
    ...transition.branchOf(cursorId),
  };
  const verdict = judgeAttempt(node, outcome, cursor.attempt);
  if (verdict.kind === 'retry') {
    transition.emit({ type: 'StageFailed', ...fields, error: verdict.reason, will_retry: true, outcome });
    return scheduleRetry(transition, cursorId);
  }
  const final = verdict.outcome;
  if (final.status === 'fail') {
    const error = reasonOf(final);
    transition.emit({ type: 'StageFailed', ...fields, error, will_retry: false, outcome: final });
  } else if (final.status === 'skipped') {
    transition.emit({ type: 'StageSkipped', ...fields, outcome: final });
  } else {
    transition.emit({ type: 'StageCompleted', ...fields, outcome: final });
  }
  if (transition.state.pausing === undefined) transition.next('leave', cursorId);
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
    ...transition.branchOf(cursorId),
  });
  waitForRetry(transition, cursor);
}

/** Asks to be woken when the pause before the next attempt is over. */
export function waitForRetry(transition: Transition, { id, index, attempt, waitUntil }: Cursor): void {
  transition.perform({ kind: 'wait', cursor: id, index, attempt, until: waitUntil });
}

export function startAttempt(transition: Transition, cursorId: string): void {
  const cursor = transition.cursor(cursorId);
  const node = nodeOf(transition, cursor);
  transition.emit({
    type: 'StageStarted',
    ...stageFields(node, cursor),
    ...carryoverFields(transition, cursor, node),
    ...transition.branchOf(cursorId),
  });
  execute(transition, cursorId);
}

export function restartAttempt(transition: Transition, cursor: Cursor): void {
  const node = nodeOf(transition, cursor);
  transition.emit({
    type: 'StageStarted',
    ...stageFields(node, cursor),
    resumed: true,
    ...carryoverFields(transition, cursor, node),
    ...transition.branchOf(cursor.id),
  });
  execute(transition, cursor.id);
}
