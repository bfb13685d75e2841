import { abortAll, fail } from './end.js';
import type { Input } from './input.js';
import { type Cursor, mainCursor } from './state.js';
import type { Transition } from './transition.js';

/** Pauses the run: at once, or when the running stages have ended. */
export function pause(
  transition: Transition,
  { reason, mode }: Pick<Extract<Input, { kind: 'pause' }>, 'reason' | 'mode'>,
): void {
  if (mode === 'now') return stop(transition, reason);
  if (transition.state.pausing !== undefined) return;
  transition.emit({ type: 'PipelinePausing', reason });
  transition.perform({ kind: 'request_pause', reason });
}

/**
 * Pauses if nothing can continue: the running stages have ended after a request to pause, or every
 * remaining stage waits for something that will not come now.
 */
export function pauseIfStuck(transition: Transition): void {
  const { status, pausing, cursors } = transition.state;
  if (status !== 'running') return;
  if (pausing !== undefined) {
    for (const cursor of cursors.values()) if (isBusy(cursor)) return;
    return stop(transition, pausing);
  }
  let stuck: Cursor | undefined;
  for (const cursor of cursors.values()) {
    if (cursor.phase === 'suspended') stuck ??= cursor;
    else if (cursor.phase !== 'forked') return;
  }
  if (stuck !== undefined) stop(transition, reasonToWait(stuck), stuck.nodeId);
}

/** True if a stage is at work that should finish; waiting for a person or a time does not count. */
function isBusy({ phase, question }: Cursor): boolean {
  return phase === 'running' && question === undefined;
}

function reasonToWait({ question, suspendedReason }: Cursor): string {
  return question === undefined ? (suspendedReason ?? 'a stage waits') : 'a question waits for an answer';
}

function stop(transition: Transition, reason: string, nodeId?: string): void {
  transition.emit({ type: 'PipelinePaused', reason, node_id: nodeId });
  abortAll(transition, 'paused', reason);
}

/** Pauses the run at its time limit (SEMANTICS §12); stages that still ran run again when it is resumed. */
export function pauseAtTimeLimit(transition: Transition): void {
  const { limits } = transition.program;
  const { workedBefore, workedSince } = transition.state;
  if (limits.timeout === undefined) return;
  if (workedBefore + transition.input.now - workedSince < limits.timeout.milliseconds) return;
  const { nodeId } = transition.cursor(mainCursor);
  const error = `timeout after ${limits.timeout.text}: the run has reached the limit set by its graph attribute \`timeout\``;
  fail(transition, 'timeout', error, nodeId);
}
