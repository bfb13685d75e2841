import { cursorNamed } from '../../machine/state.js';
import { nodeNamed } from './advance-simulation.js';
import type { Pending, Simulation } from './simulation.js';

/** Event that happens by itself after some time. */
export interface Deadline {
  readonly pending: Pending;
  /** Time in milliseconds since 1970. */
  readonly at: number;
}

/** First event that happens without a decision: a retry begins, or a time is up. */
export function nextDeadline(simulation: Simulation): Deadline | undefined {
  let next: Deadline | undefined;
  for (const pending of simulation.pending) {
    const at = deadlineOf(simulation, pending);
    if (at !== undefined && (next === undefined || at < next.at)) next = { pending, at };
  }
  return next;
}

function deadlineOf({ program, state }: Simulation, pending: Pending): number | undefined {
  switch (pending.kind) {
    case 'timer':
      return pending.effect.until;
    case 'run_timer':
      return pending.until;
    case 'question': {
      const { timeout_seconds } = pending.question;
      const asked = cursorNamed(state, pending.effect.cursor).question?.askedAt;
      return timeout_seconds === undefined || asked === undefined
        ? undefined
        : asked + timeout_seconds * 1000;
    }
    case 'stage': {
      const { timeout } = nodeNamed(program, pending.effect.nodeId);
      const { startedAt } = cursorNamed(state, pending.effect.cursor);
      return timeout === undefined ? undefined : startedAt + timeout.milliseconds;
    }
  }
}
