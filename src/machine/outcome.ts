import type { JsonValue } from '../graph/json.js';
import type { StageStatus } from '../graph/stage-status.js';
import type { FailureCategory } from './failure-category.js';

export type { StageStatus };

/**
 * What a handler returns (§5.2). Plain JSON in the words of the status-file contract (Appendix C), because it is
 * written to the journal, to `status.json` and to `checkpoint.json` as it is.
 */
export interface Outcome {
  readonly status: StageStatus;
  /** The label of the edge to follow. */
  readonly preferred_label?: string;
  /** Node ids to go to, the best first. */
  readonly suggested_next_ids?: readonly string[];
  /** Merged into the context after the stage. */
  readonly context_updates?: Readonly<Record<string, JsonValue>>;
  /** What was done, for people. */
  readonly notes?: string;
  /** Why it failed, or asks to be tried again. */
  readonly failure_reason?: string;
  /** Of a failure: true if another attempt may succeed, false if none can (Appendix D); unset where unknown. */
  readonly retryable?: boolean;
  /** Of a failure, for people and observers: what kind it is (Appendix D); unset where unknown. */
  readonly failure_category?: FailureCategory;
  /** Of a failure: how many milliseconds the other side asked to be left alone, as by a `Retry-After` header; an hour at most. */
  readonly retry_after_ms?: number;
  /**
   * Under `customOutcomes`, of a success: a word of its own that conditions see in place of the status (SEMANTICS 44g). A status
   * file has it as its `outcome`.
   */
  readonly custom_outcome?: string;
  /** Ids of the artifacts that the stage has stored (§5.5). */
  readonly artifacts?: readonly string[];
}

/** Whether a stage counts as done: SUCCESS or PARTIAL_SUCCESS (§3.4). */
export function isSuccessful(status: StageStatus): boolean {
  return status === 'success' || status === 'partial_success';
}

/** What a failure may say besides its reason. */
export type FailureDetails = Pick<
  Outcome,
  'retryable' | 'failure_category' | 'retry_after_ms' | 'context_updates'
>;

/** A failed outcome with its reason. */
export function failure(reason: string, details: FailureDetails = {}): Outcome {
  return { status: 'fail', failure_reason: reason, ...details };
}

/** Why an outcome failed, in words that are never empty. */
export function reasonOf(outcome: Outcome): string {
  return outcome.failure_reason?.trim() || outcome.notes?.trim() || 'the stage gave no reason';
}
