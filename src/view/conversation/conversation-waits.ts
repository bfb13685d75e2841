import { describeWait } from '../../machine/describe-wait.js';
import type { RunEvent } from '../../machine/event.js';
import type { StageVisit } from '../stage-schema.js';
import type { ConversationStep } from './conversation-steps.js';

/** Pause after a failed request to a model, or another model in its place: the journal has it, and not the conversation. */
export interface WaitStep {
  readonly kind: 'wait';
  readonly at: string;
  readonly text: string;
}

/** Finds the pauses of a visit among events, which may be part of a journal. */
export function waitsOf(
  events: readonly RunEvent[],
  visit: Pick<StageVisit, 'node_id' | 'branch' | 'started_at' | 'ended_at'>,
): readonly WaitStep[] {
  const { node_id: nodeId, branch, started_at: start, ended_at: end } = visit;
  return events.flatMap((event) => {
    if (event.type !== 'RequestRetrying' || event.node_id !== nodeId) return [];
    const { timestamp: at, delay, reason, next_model: model } = event;
    if ((event.branch ?? null) !== branch || at < start || (end !== null && at > end)) return [];
    const text =
      model === undefined
        ? `waited ${describeWait(delay)} after ${reason}`
        : `asked ${model} after ${reason}`;
    return [{ kind: 'wait', at, text }];
  });
}

/** Puts pauses before the first step that is later; both are in the order of their times. */
export function withWaits(
  steps: readonly ConversationStep[],
  waits: readonly WaitStep[],
): readonly (ConversationStep | WaitStep)[] {
  if (waits.length === 0) return steps;
  const all: (ConversationStep | WaitStep)[] = [];
  let next = 0;
  for (const step of steps) {
    for (let wait = waits[next]; wait !== undefined && wait.at < step.at; wait = waits[next]) {
      all.push(wait);
      next += 1;
    }
    all.push(step);
  }
  return [...all, ...waits.slice(next)];
}
