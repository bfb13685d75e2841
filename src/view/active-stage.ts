import type { NodeFailures } from '../machine/categorize-failure.js';
import type { Question } from '../machine/interview.js';
import type { StageStatus } from '../machine/outcome.js';

/** Workers that perform stages of a run of a cluster for the worker of the run, by `attemptKey`. */
export type StageWorkers = ReadonlyMap<string, string>;

export const noStageWorkers: StageWorkers = new Map();

/** Name of an attempt in its run. @param index of the visit */
export function attemptKey(index: number, attempt: number): string {
  return `${index}.${attempt}`;
}

/** Stage that has begun and not settled. */
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
  /** Time at which it entered this state, ISO 8601. */
  readonly since: string;
  /** Start of the next attempt, or of the next request to a model, ISO 8601. */
  readonly until: string | null;
  /** What its model does now: `waiting 20 s after HTTP 429`, `edit_file src/math.ts`; null if that is not known. */
  readonly doing: string | null;
  /** Id of the worker that performs it for the worker of the run, in a spread run of a cluster; null for any other stage. */
  readonly worker: string | null;
}

/** Question that waits for an answer. */
export interface OpenQuestion extends Question {
  readonly branch: string | null;
  /** ISO 8601. */
  readonly asked_at: string;
}

/** Branches of a parallel node under way. */
export interface ActiveParallel {
  readonly node_id: string;
  readonly branch: string | null;
  /** Number of branches, without those that had ended when a run that had failed here was resumed. */
  readonly branch_count: number;
  /** Number of branches in each state; the others have not begun. */
  readonly counts: Readonly<Partial<Record<BranchOverview['state'], number>>>;
  /** At most two hundred branches: running and failed ones first, then the latest. */
  readonly branches: readonly BranchOverview[];
}

export interface BranchOverview {
  readonly branch: string;
  /** `running`, or the outcome. */
  readonly state: 'running' | StageStatus;
  readonly since: string;
  /** Milliseconds; null while it runs. */
  readonly duration_ms: number | null;
  readonly error: string | null;
}

/** Failures of a node, by the last of them. */
export interface FailureOverview extends NodeFailures {
  readonly node_id: string;
}
