import { forked } from './event.js';
import type { Input } from './input.js';
import { isInterruption } from './interview.js';
import { raiseInterruption } from './interviews.js';
import { onlyAsks } from './only-asks.js';
import { isForkDecided, watchTime } from './parallel.js';
import { execute, nodeOf, restartAttempt, scheduleRetry, waitForRetry } from './stage.js';
import type { Cursor } from './state.js';
import type { Transition } from './transition.js';
import { reportBudgets, warnOfUnpricedAgain } from './watch-budgets.js';

/** Continues from the end of the journal, even in the middle of a decision (SEMANTICS 66). */
export function handleResume(transition: Transition, input: Extract<Input, { kind: 'resume' }>): void {
  const { status } = transition.state;
  if (status === 'created' || (status === 'success' && input.nodeId === undefined)) return;
  transition.emit({
    type: 'PipelineResumed',
    from: input.isFork ? forked : status,
    max_steps: input.maxSteps,
    budget_usd: input.budgetUsd,
    budget_tokens: input.budgetTokens,
    stage_budgets: input.stageBudgets,
    node_id: input.nodeId,
    inputs: input.inputs,
  });
  watchRunTime(transition);
  reportBudgets(transition);
  warnOfUnpricedAgain(transition);
  for (const { id, phase } of resumptionOrder(transition).reverse()) {
    if (phase === 'forked') watchTime(transition, id);
    transition.next(phase === 'forked' ? 'advance_fork' : 'resume', id);
  }
}

/** Asks again what a run that only asks has asked, without an event. */
export function wake(transition: Transition): void {
  if (!onlyAsks(transition.program, transition.state)) return;
  for (const cursor of transition.state.cursors.values()) {
    if (cursor.phase === 'running') execute(transition, cursor.id);
    else if (cursor.phase === 'interrupted') raiseInterruption(transition, cursor);
  }
}

/**
 * Cursors in an order that continues as if nothing had happened: decided but unperformed steps come first,
 * so that no branch restarts that is about to be stopped; a parallel node starts its next branch after the
 * one that was about to start.
 */
function resumptionOrder({ state, program }: Transition): Cursor[] {
  const urgency = (cursor: Cursor): number => {
    const { phase } = cursor;
    if (cursor.fork !== undefined) return phase !== 'forked' || isForkDecided(program, cursor) ? 0 : 2;
    return phase === 'running' || phase === 'interrupted' || phase === 'suspended' ? 3 : 1;
  };
  return [...state.cursors.values()].sort((one, other) => urgency(one) - urgency(other));
}

/** Requests a timer for the time limit of the run. */
export function watchRunTime(transition: Transition): void {
  const { timeout } = transition.program.limits;
  if (timeout === undefined) return;
  const { workedBefore, workedSince } = transition.state;
  transition.perform({ kind: 'wait_for_run', until: workedSince + timeout.milliseconds - workedBefore });
}

/** Continues one cursor from its phase. */
export function resumeCursor(transition: Transition, cursorId: string): void {
  const cursor = transition.cursor(cursorId);
  switch (cursor.phase) {
    case 'arriving':
      return transition.next('arrive', cursorId);
    case 'restarting':
      return transition.next('restart_loop', cursorId);
    case 'settled':
      return transition.next('leave', cursorId);
    case 'forked':
      return transition.next('advance_fork', cursorId);
    case 'waiting':
      if (cursor.waitUntil === 0) return scheduleRetry(transition, cursorId);
      return waitForRetry(transition, cursor);
    case 'running':
    case 'interrupted':
    case 'suspended':
      return resumeStage(transition, cursor);
    case 'finished':
      return;
  }
}

function resumeStage(transition: Transition, cursor: Cursor): void {
  if (cursor.fork !== undefined) return transition.next('settle_fork', cursor.id);
  const asksAboutIt = cursor.question !== undefined && isInterruption(cursor.question.question);
  const mayRunAgain = nodeOf(transition, cursor).idempotent || cursor.phase === 'suspended';
  if (mayRunAgain && !asksAboutIt) restartAttempt(transition, cursor);
  else raiseInterruption(transition, cursor);
}
