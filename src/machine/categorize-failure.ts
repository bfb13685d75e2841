import type { FailureKind } from './event.js';
import type { FailureCategory } from './failure-category.js';
import type { Outcome } from './outcome.js';

/**
 * A failure whose `retryable` and `failure_category` say the same, whichever of them was given: what no attempt can help
 * is terminal (SEMANTICS 83). Where neither was given nobody knows, and neither is set.
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
 * The category of a run that failed (Appendix D): a routing hole and a limit that was reached are faults of the pipeline; otherwise it is
 * that of the stage that failed, where it is known.
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
