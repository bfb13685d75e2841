import type { JsonValue } from '../graph/json.js';
import type { StageStatus } from '../graph/stage-status.js';
import type { FileReference } from '../graph/values/file-reference.js';
import type { FailureCategory } from './failure-category.js';

export type { StageStatus };

/**
 * Result of a handler (§5.2). Plain JSON in the words of the status-file contract (Appendix C), because it
 * is written to the journal, to `status.json` and to `checkpoint.json` as it is.
 */
export interface Outcome {
  readonly status: StageStatus;
  /** The label of the edge to follow. */
  readonly preferred_label?: string;
  /** Node ids to go to, the best first. */
  readonly suggested_next_ids?: readonly string[];
  /** Merged into the context after the stage. */
  readonly context_updates?: Readonly<Record<string, JsonValue>>;
  /** Values of `assign.*`, merged after those (SEMANTICS 102). */
  readonly assigned?: Readonly<Record<string, JsonValue>>;
  /** Description of the work, for people. */
  readonly notes?: string;
  /** Reason of a failure, or of a wish to be retried. */
  readonly failure_reason?: string;
  /** Status that the stage reported, of a FAIL that the rules of its node made of it (SEMANTICS 103). */
  readonly reported?: StageStatus;
  /**
   * True if another attempt at a failed stage may succeed, false if none can (Appendix D); unset if
   * unknown.
   */
  readonly retryable?: boolean;
  /** Category of a failure, for people and observers (Appendix D); unset if unknown. */
  readonly failure_category?: FailureCategory;
  /**
   * Pause that the other side requested, such as by a `Retry-After` header, in milliseconds; an hour at
   * most.
   */
  readonly retry_after_ms?: number;
  /**
   * Custom status of a success under `customOutcomes`, which conditions see instead of the status
   * (SEMANTICS 44g). It is the `outcome` of a status file.
   */
  readonly custom_outcome?: string;
  /** Whole answer of an LLM stage (SEMANTICS 104). */
  readonly response?: FileReference;
  /** Whole standard output of a tool. */
  readonly output?: FileReference;
  /** Ids of the artifacts that the stage has stored (§5.5). */
  readonly artifacts?: readonly string[];
}

/** Values that a stage sets in the context: its own, then those that it assigns. */
export function valuesSetBy({ context_updates, assigned }: Outcome): Outcome['context_updates'] {
  return assigned === undefined ? context_updates : { ...context_updates, ...assigned };
}

/** True if a stage counts as done: SUCCESS or PARTIAL_SUCCESS (§3.4). */
export function isSuccessful(status: StageStatus): boolean {
  return status === 'success' || status === 'partial_success';
}

/** Optional fields of a failure. */
export type FailureDetails = Pick<
  Outcome,
  'retryable' | 'failure_category' | 'retry_after_ms' | 'context_updates'
>;

/** A failed outcome with its reason. */
export function failure(reason: string, details: FailureDetails = {}): Outcome {
  return { status: 'fail', failure_reason: reason, ...details };
}

/** Reason of a failed outcome, never empty. */
export function reasonOf(outcome: Outcome): string {
  return outcome.failure_reason?.trim() || outcome.notes?.trim() || 'the stage gave no reason';
}
