import type { Question } from '../machine/interview.js';
import type { StageStatus } from '../machine/outcome.js';

/** A stage that has begun and not settled. */
export interface ActiveStage {
  readonly node_id: string;
  /** The label of the node. */
  readonly name: string;
  readonly branch: string | null;
  /**
   * `running`; `waiting` for its next attempt; `asking` a person; `suspended`, because it cannot continue now; `branches`,
   * while those of a parallel node run.
   */
  readonly state: 'running' | 'waiting' | 'asking' | 'suspended' | 'branches';
  readonly attempt: number;
  readonly visit: number;
  /** Since when it is in this state, ISO 8601. */
  readonly since: string;
  /** When the next attempt begins, ISO 8601. */
  readonly until: string | null;
}

/** A question that waits for an answer. */
export interface OpenQuestion extends Question {
  readonly branch: string | null;
  /** ISO 8601. */
  readonly asked_at: string;
}

/** The branches of a parallel node under way. */
export interface ActiveParallel {
  readonly node_id: string;
  readonly branch: string | null;
  /** Without those that had ended when a run that had failed here was resumed. */
  readonly branch_count: number;
  readonly branches: readonly BranchOverview[];
}

export interface BranchOverview {
  readonly branch: string;
  /** `running`, or how it ended. */
  readonly state: 'running' | StageStatus;
  readonly since: string;
  /** Milliseconds; null while it runs. */
  readonly duration_ms: number | null;
  readonly error: string | null;
}

/** All failures of a node, by the last of them. */
export interface FailureOverview {
  readonly node_id: string;
  readonly reason: string;
  readonly count: number;
  readonly at: string;
  /** Whether the node has succeeded since. */
  readonly recovered: boolean;
}
