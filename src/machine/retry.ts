import type { ProgramNode } from '../graph/program.js';
import { type Outcome, reasonOf } from './outcome.js';

/** Judgement of an attempt's outcome (§3.5): another attempt, or the final outcome of the visit. */
export type Verdict =
  | { readonly kind: 'retry'; readonly reason: string }
  | { readonly kind: 'settle'; readonly outcome: Outcome };

/**
 * Decides if another attempt follows (SEMANTICS 24–28, 83). RETRY asks for it; a FAIL is retried if it is
 * marked retryable or the node retries failures, and never if it is marked as final.
 */
export function judgeAttempt(node: ProgramNode, outcome: Outcome, attempt: number): Verdict {
  const wantsRetry = outcome.status === 'retry' || failureMayBeRetried(node, outcome);
  if (!wantsRetry) return { kind: 'settle', outcome };
  if (attempt < node.retry.maxAttempts) return { kind: 'retry', reason: reasonOf(outcome) };
  const retriesAreUsedUp = outcome.status === 'retry' || attempt > 1;
  return { kind: 'settle', outcome: retriesAreUsedUp ? exhausted(node, outcome) : outcome };
}

function failureMayBeRetried(node: ProgramNode, outcome: Outcome): boolean {
  if (outcome.status !== 'fail' || !node.handler.retriesFailure) return false;
  return outcome.retryable ?? node.retry.retriesFailure;
}

function exhausted(node: ProgramNode, outcome: Outcome): Outcome {
  if (node.allowPartial) {
    const { failure_reason: _reason, ...rest } = outcome;
    return { ...rest, status: 'partial_success', notes: 'retries exhausted, partial accepted' };
  }
  const reason = reasonOf(outcome);
  // A stage that runs another pipeline fails with the reason of a stage of it.
  const failure_reason = reason.includes(usedUp) ? reason : `${usedUp}${reason}`;
  return { ...outcome, status: 'fail', failure_reason };
}

const usedUp = 'max retries exceeded: ';
