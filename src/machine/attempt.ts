import { delayAfterAttempt } from '../graph/retry-policy.js';
import { emitStageEnded, emitStageStarted, type StageEnd } from './emit-events.js';
import { type Outcome, reasonOf } from './outcome.js';
import { judgeAttempt } from './retry.js';
import { carryoverFields, execute, nodeOf, stageFields } from './stage.js';
import type { Cursor } from './state.js';
import type { Transition } from './transition.js';

/** Records the outcome of an attempt, and what follows from it (§3.5). */
export function settle(transition: Transition, cursorId: string, outcome: Outcome, commit?: string): void {
  const cursor = transition.cursor(cursorId);
  const node = nodeOf(transition, cursor);
  const duration = transition.input.now - cursor.startedAt;
  const verdict = judgeAttempt(node, outcome, cursor.attempt);
  if (verdict.kind === 'retry') {
    const error = verdict.reason;
    const end = { type: 'StageFailed', outcome, duration, error, willRetry: true } as const;
    emitStageEnded(transition, cursorId, node, cursor, end);
    return scheduleRetry(transition, cursorId);
  }
  const end = endOf(verdict.outcome, duration);
  emitStageEnded(transition, cursorId, node, cursor, commit === undefined ? end : { ...end, commit });
  if (transition.state.pausing === undefined) transition.next('leave', cursorId);
}

function endOf(outcome: Outcome, duration: number): StageEnd {
  switch (outcome.status) {
    case 'fail':
      return { type: 'StageFailed', outcome, duration, error: reasonOf(outcome) };
    case 'skipped':
      return { type: 'StageSkipped', outcome, duration };
    default:
      return { type: 'StageCompleted', outcome, duration };
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
  emitStageStarted(transition, cursorId, node, cursor, carryoverFields(transition, cursor, node));
  execute(transition, cursorId);
}

export function restartAttempt(transition: Transition, cursor: Cursor): void {
  const node = nodeOf(transition, cursor);
  const details = { ...carryoverFields(transition, cursor, node), resumed: true } as const;
  emitStageStarted(transition, cursor.id, node, cursor, details);
  execute(transition, cursor.id);
}
