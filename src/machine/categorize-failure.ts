import type { EventHeader, FailureKind, StageFailed } from './event.js';
import type { FailureCategory } from './failure-category.js';
import type { Outcome } from './outcome.js';
import type { PersistentMap } from './persistent.js';

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
    case 'property':
      return 'pipeline';
    case 'stage':
    case 'goal_gate':
      return outcome?.failure_category;
  }
}

/** Failed attempts of a node in the whole run, by the last of them. */
export interface NodeFailures {
  /** Failed attempts. */
  readonly count: number;
  /** Number of them after which the stage was tried again. */
  readonly retries: number;
  readonly reason: string;
  readonly category: string | null;
  /** ISO 8601. */
  readonly at: string;
  /** True if the node has succeeded since, in every branch in which it had failed. */
  readonly recovered: boolean;
}

/** The same while they are counted. */
export interface CountedFailures extends Omit<NodeFailures, 'recovered'> {
  /** Branches whose latest attempt failed: another item of a list is other work (SEMANTICS 106). */
  readonly failing: readonly string[];
}

type FailuresByNode = Pick<PersistentMap<string, CountedFailures>, 'get'>;

/** Name for what is in no branch. */
const mainLine = '';

/** Counts a failed attempt with those of its node before. */
export function failuresWith(
  failures: FailuresByNode,
  { node_id, error, outcome, timestamp, branch = mainLine }: StageFailed & Pick<EventHeader, 'timestamp'>,
): CountedFailures {
  const { count = 0, retries = 0, failing = [] } = failures.get(node_id) ?? {};
  const category = outcome.failure_category ?? null;
  return {
    count: count + 1,
    retries,
    reason: error,
    category,
    at: timestamp,
    failing: failing.includes(branch) ? failing : [...failing, branch],
  };
}

/**
 * The failures of a node that has succeeded.
 * @returns undefined if that changes nothing
 */
export function recoveredIn(
  failures: CountedFailures | undefined,
  branch: string = mainLine,
): CountedFailures | undefined {
  if (failures?.failing.includes(branch) !== true) return undefined;
  return { ...failures, failing: failures.failing.filter((one) => one !== branch) };
}

/** Failures by node, for a result or a view. */
export function countedFailures(
  failures: Iterable<readonly [string, CountedFailures]>,
): readonly (NodeFailures & { readonly node_id: string })[] {
  return [...failures].map(([node_id, { failing, ...counted }]) => {
    return { node_id, ...counted, recovered: failing.length === 0 };
  });
}
