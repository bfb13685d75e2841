import type { FailureKind } from './event.js';
import type { FailureCategory } from './failure-category.js';
import type { Outcome } from './outcome.js';

/**
 * Completes a failure so that `retryable` and `failure_category` agree, whichever of them was given: one
 * that no attempt can help is terminal (SEMANTICS 83). If neither was given, neither is set.
 */
export function withFailureCategory(outcome: Outcome): Outcome {
  if (outcome.status !== 'fail') return outcome;
  const { retryable, failure_category: category } = outcome;
  if (category === undefined && retryable !== undefined) {
    return { ...outcome, failure_category: retryable ? 'retryable' : 'terminal' };
  }
  if (category !== undefined && retryable === undefined) {
    return { ...outcome, retryable: category === 'retryable' };
  }
  return outcome;
}

/**
 * Category of a failed run (Appendix D): a missing route and a reached limit are faults of the pipeline;
 * otherwise it is that of the stage that failed, if known.
 */
export function categoryOfRunFailure(
  kind: FailureKind,
  outcome: Outcome | undefined,
): FailureCategory | undefined {
  switch (kind) {
    case 'routing':
    case 'limit':
    case 'timeout':
      return 'pipeline';
    case 'stage':
    case 'goal_gate':
      return outcome?.failure_category;
  }
}
