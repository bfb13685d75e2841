import { delayAfterAttempt } from '../../graph/retry-policy.js';
import { leave } from './advance.js';
import { type Outcome, reasonOf } from './outcome.js';
import { judgeAttempt } from './retry.js';
import { execute, nodeOf, stageFields } from './stage.js';
import type { Cursor } from './state.js';
import type { Transition } from './transition.js';

export function settle(transition: Transition, cursorId: string, outcome: Outcome): void {
  const cursor = transition.cursor(cursorId);
  if (cursor.phase !== 'running' && cursor.phase !== 'interrupted') return;
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
  leave(transition, cursorId);
}

export function scheduleRetry(transition: Transition, cursorId: string): void {
  const cursor = transition.cursor(cursorId);
  const node = nodeOf(transition, cursor);
  const delay = delayAfterAttempt(node.retry.backoff, cursor.attempt - 1, transition.input.random);
  transition.emit({
    type: 'StageRetrying',
    ...stageFields(node, cursor),
    delay,
    ...transition.branchOf(cursorId),
  });
  transition.perform({ kind: 'wait', cursor: cursorId, until: transition.cursor(cursorId).waitUntil });
}

export function startAttempt(transition: Transition, cursorId: string): void {
  const cursor = transition.cursor(cursorId);
  if (cursor.phase !== 'waiting') return;
  transition.emit({
    type: 'StageStarted',
    ...stageFields(nodeOf(transition, cursor), cursor),
    ...transition.branchOf(cursorId),
  });
  execute(transition, cursorId);
}

export function restartAttempt(transition: Transition, cursor: Cursor): void {
  transition.emit({
    type: 'StageStarted',
    ...stageFields(nodeOf(transition, cursor), cursor),
    resumed: true,
    ...transition.branchOf(cursor.id),
  });
  execute(transition, cursor.id);
}
