import type { BudgetLimit, StageBudgets } from '../graph/budget-limit.js';
import type { JsonValue } from '../graph/json.js';
import type { Budget } from './budget-reports.js';
import type { FailureCategory } from './failure-category.js';
import type { FidelityMode } from './fidelity.js';
import type { Answer, Question } from './interview.js';
import type { Outcome, StageStatus } from './outcome.js';
import type {
  ConversationCompaction,
  ModelUse,
  OutputChannel,
  RequestRetry,
  SessionReport,
  SteeringDelivery,
  ToolCallEnd,
  ToolCallStart,
} from './progress.js';

/**
 * Fact of a run (§9.6): one line of the journal, in the specification's names and in snake_case. The state
 * of a run is the fold of its events, so an event holds everything that the fold needs and nothing that it
 * can compute.
 */
export type RunEvent = EventBody & EventHeader;

export interface EventHeader {
  /** 1, 2, 3, … without a gap. */
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly run_id: string;
  /** The event in one sentence, for people. */
  readonly description: string;
}

export type EventBody =
  | PipelineStarted
  | PipelineResumed
  | PipelinePausing
  | PipelinePaused
  | PipelineCompleted
  | PipelineFailed
  | PipelineCancelled
  | StageStarted
  | StageCompleted
  | StageSkipped
  | StageFailed
  | StageRetrying
  | StageSuspended
  | StageOutput
  | ToolCallStarted
  | ToolCallCompleted
  | ModelUsed
  | RequestRetrying
  | ConversationCompacting
  | StageSteered
  | SteeringDelivered
  | SessionStarted
  | BudgetWarning
  | BudgetExceeded
  | EdgeSelected
  | LoopRestarted
  | ParallelItems
  | ParallelStarted
  | ParallelBranchStarted
  | ParallelBranchCompleted
  | ParallelCompleted
  | InterviewStarted
  | InterviewCompleted
  | InterviewTimeout
  | CheckpointSaved
  | LogAppended;

/** All types of events, for readers of a journal; the compiler keeps the list complete. */
const eventTypes: Readonly<Record<EventBody['type'], true>> = {
  PipelineStarted: true,
  PipelineResumed: true,
  PipelinePausing: true,
  PipelinePaused: true,
  PipelineCompleted: true,
  PipelineFailed: true,
  PipelineCancelled: true,
  StageStarted: true,
  StageCompleted: true,
  StageSkipped: true,
  StageFailed: true,
  StageRetrying: true,
  StageSuspended: true,
  StageOutput: true,
  ToolCallStarted: true,
  ToolCallCompleted: true,
  ModelUsed: true,
  RequestRetrying: true,
  ConversationCompacting: true,
  StageSteered: true,
  SteeringDelivered: true,
  SessionStarted: true,
  BudgetWarning: true,
  BudgetExceeded: true,
  EdgeSelected: true,
  LoopRestarted: true,
  ParallelItems: true,
  ParallelStarted: true,
  ParallelBranchStarted: true,
  ParallelBranchCompleted: true,
  ParallelCompleted: true,
  InterviewStarted: true,
  InterviewCompleted: true,
  InterviewTimeout: true,
  CheckpointSaved: true,
  LogAppended: true,
};

export function isEventType(type: unknown): type is EventBody['type'] {
  return typeof type === 'string' && Object.hasOwn(eventTypes, type);
}

export interface PipelineStarted {
  readonly type: 'PipelineStarted';
  readonly name: string;
  /** The run id, under the specification's name. */
  readonly id: string;
  readonly goal: string;
  readonly graph_hash: string;
  /** The exit node; events of older versions do not name it. */
  readonly exit?: string;
  /** The values given by `--set`. */
  readonly inputs: Readonly<Record<string, JsonValue>>;
  /** Overrides the graph attribute. */
  readonly max_steps?: number;
  /** Budget of the run: that of the call, else of the graph, else the default (SEMANTICS 126). */
  readonly budget_usd?: BudgetLimit;
  readonly budget_tokens?: number;
  /** Budgets of stages in place of those of the pipeline. */
  readonly stage_budgets?: StageBudgets;
  /** Commit at which the run begins, if it commits its files. */
  readonly commit?: string;
}

/** The `from` of a `PipelineResumed` with which a fork begins. */
export const forked = 'forked';

export interface PipelineResumed {
  readonly type: 'PipelineResumed';
  /** Status of the run before the resume; `forked` at the beginning of a fork. */
  readonly from: string;
  readonly max_steps?: number;
  /** Budget, if this call changes it; it stays for the rest of the run. */
  readonly budget_usd?: BudgetLimit;
  readonly budget_tokens?: number;
  readonly stage_budgets?: StageBudgets;
  /** Node to continue at, instead of the one where the run stopped. */
  readonly node_id?: string;
  /** Values given by `--set` this time. */
  readonly inputs?: Readonly<Record<string, JsonValue>>;
}

/** The run will pause as soon as the running stages have ended. */
export interface PipelinePausing {
  readonly type: 'PipelinePausing';
  readonly reason: string;
}

export interface PipelinePaused {
  readonly type: 'PipelinePaused';
  readonly reason: string;
  readonly node_id?: string;
}

export interface PipelineCompleted {
  readonly type: 'PipelineCompleted';
  /** Milliseconds since the run started, pauses included. */
  readonly duration: number;
  readonly artifact_count: number;
}

/** Kind of dead end that a run met; resuming depends on it. */
export type FailureKind = 'stage' | 'routing' | 'goal_gate' | 'limit' | 'timeout' | 'property';

export interface PipelineFailed extends InBranch {
  readonly type: 'PipelineFailed';
  readonly error: string;
  readonly duration: number;
  readonly kind: FailureKind;
  /** Node at which it failed. */
  readonly node_id: string;
  /** Stage that runs again when the run is resumed, if it is another one. */
  readonly resume_at?: string;
  /** Category of the underlying error (Appendix D), if known. */
  readonly failure_category?: FailureCategory;
}

export interface PipelineCancelled {
  readonly type: 'PipelineCancelled';
  readonly duration: number;
}

/** Line of an event: the main line of the run, unless it names a parallel branch. */
interface InBranch {
  readonly branch?: string;
}

/** Fields of all stage events about their stage (SEMANTICS 94). */
interface StageFields extends InBranch {
  readonly node_id: string;
  /** The label of the node. */
  readonly name: string;
  /** Ordinal of the visit in the run, from 0 (SEMANTICS 74a). */
  readonly index: number;
  /** From 1; a retry is the next attempt of the same visit. */
  readonly attempt: number;
  /** Ordinal of the visit among those of this node, from 1. */
  readonly visit: number;
}

export interface StageStarted extends StageFields {
  readonly type: 'StageStarted';
  /** Set if the attempt was cut off by the end of a process and runs again. */
  readonly resumed?: true;
  /** Fidelity of an LLM stage: how much of the earlier stages it receives (§5.4). */
  readonly fidelity?: FidelityMode;
  /** Session that an LLM stage with the fidelity `full` shares with others. */
  readonly thread_id?: string;
  /**
   * Set if the fidelity is less than the pipeline asks for, because sessions do not survive a process
   * (§5.3).
   */
  readonly degraded?: true;
}

/** Files that a stage leaves, in a run that commits them. */
interface LeavesFiles {
  /** Commit of its files; missing if nothing of the attempt is kept. */
  readonly commit?: string;
}

/** Mark of a stage whose work was not done. */
interface MayPretend {
  /** Set if the work of the attempt was simulated or scripted (SEMANTICS 120). */
  readonly simulated?: true;
}

export interface StageCompleted extends StageFields, LeavesFiles, MayPretend {
  readonly type: 'StageCompleted';
  /** Milliseconds of this attempt. */
  readonly duration: number;
  readonly outcome: Outcome;
}

export interface StageSkipped extends StageFields, LeavesFiles, MayPretend {
  readonly type: 'StageSkipped';
  /**
   * Set if the stage was stopped, because its branch no longer mattered; it may run again when the run is
   * resumed.
   */
  readonly stopped?: true;
  readonly duration: number;
  readonly outcome: Outcome;
}

export interface StageFailed extends StageFields, LeavesFiles, MayPretend {
  readonly type: 'StageFailed';
  readonly error: string;
  readonly will_retry: boolean;
  readonly duration: number;
  readonly outcome: Outcome;
}

export interface StageRetrying extends StageFields {
  readonly type: 'StageRetrying';
  /** Milliseconds of the pause before the attempt. */
  readonly delay: number;
}

/**
 * A stage cannot continue now, for example because nobody can answer; it runs again when the run is
 * resumed.
 */
export interface StageSuspended extends StageFields {
  readonly type: 'StageSuspended';
  readonly reason: string;
}

/** Part of the answer or the reasoning of a stage's model, as it comes in. */
export interface StageOutput extends StageFields {
  readonly type: 'StageOutput';
  readonly channel: OutputChannel;
  readonly text: string;
}

export interface ToolCallStarted extends StageFields, ToolCallStart {
  readonly type: 'ToolCallStarted';
}

export interface ToolCallCompleted extends StageFields, ToolCallEnd {
  readonly type: 'ToolCallCompleted';
}

export interface ModelUsed extends StageFields, ModelUse {
  readonly type: 'ModelUsed';
}

/** A request to a model has failed, and is made again: after a pause, or by another model. */
export interface RequestRetrying extends StageFields, RequestRetry {
  readonly type: 'RequestRetrying';
}

/** A summary is about to replace the older turns of a conversation that is too long (SEMANTICS 125). */
export interface ConversationCompacting extends StageFields, ConversationCompaction {
  readonly type: 'ConversationCompacting';
}

/** A person says something to the model of a running stage, which gets it when it can. */
export interface StageSteered extends StageFields {
  readonly type: 'StageSteered';
  readonly steering_id: string;
  readonly text: string;
  /** Name of the person, if it is known. */
  readonly by?: string | undefined;
}

/** The model has the words of a person. */
export interface SteeringDelivered extends StageFields, SteeringDelivery {
  readonly type: 'SteeringDelivered';
}

/** From now on the stages of a thread can continue a conversation (§5.4). */
export interface SessionStarted extends StageFields, SessionReport {
  readonly type: 'SessionStarted';
  readonly thread_id: string;
}

/** Fields of both events of a budget (SEMANTICS §12). */
interface BudgetFields extends InBranch, Budget {
  /** Amount used. */
  readonly used: number;
  /** Stage that used it last; missing if the run is resumed with a used-up budget. */
  readonly node_id?: string;
}

/** Most of a budget is used. */
export interface BudgetWarning extends BudgetFields {
  readonly type: 'BudgetWarning';
}

/** A budget is used up: the run pauses. */
export interface BudgetExceeded extends BudgetFields {
  readonly type: 'BudgetExceeded';
}

/** Reason of a transition (§3.3, §3.7, §3.4). */
export type RoutingReason =
  | 'condition'
  | 'preferred_label'
  | 'suggested_next_ids'
  | 'weight'
  | 'failure_to_conditional'
  | 'retry_target'
  | 'fallback_retry_target'
  | 'goal_gate'
  /** From a parallel node to the node at which its branches meet. */
  | 'join';

export interface EdgeSelected extends InBranch {
  readonly type: 'EdgeSelected';
  readonly from: string;
  readonly to: string;
  readonly reason: RoutingReason;
  /** Index into the graph's edges; missing for a jump. */
  readonly edge?: number;
  readonly label?: string;
  readonly condition?: string;
  /** Unsatisfied goal gate that caused a jump. */
  readonly gate?: string;
  /** Set if the edge restarts the pipeline. */
  readonly loop_restart?: true;
}

/** The pipeline restarts at a node, with a fresh context and a new directory (SEMANTICS 36). */
export interface LoopRestarted {
  readonly type: 'LoopRestarted';
  readonly node_id: string;
  /** From 1. */
  readonly restart: number;
  /** Directory of the stages' files from now on, in the run directory. */
  readonly directory: string;
}

/** Items of a long list, before the `ParallelStarted` that has the last of them (SEMANTICS 106). */
export interface ParallelItems extends StageFields {
  readonly type: 'ParallelItems';
  /** Position of the first of these items in the list, from 0. */
  readonly offset: number;
  readonly items: readonly JsonValue[];
}

export interface ParallelStarted extends StageFields, LeavesFiles {
  readonly type: 'ParallelStarted';
  readonly branch_count: number;
  /**
   * Items that become branches under `foreach`, the last ones of a long list (SEMANTICS 106). Missing for
   * branches of edges, and if the items of an earlier attempt or of the failed visit are used again.
   */
  readonly items?: readonly JsonValue[];
  readonly max_parallel: number;
  /** Node at which the branches meet. */
  readonly join: string;
  /**
   * Set if a failed parallel node continues when the run is resumed: the number of branches that stay as
   * they ended.
   */
  readonly kept?: number;
}

/** Fields of both events of a branch. */
interface BranchFields {
  /** The id of the branch: its first node, numbered under `foreach`, after the ids of the branches around it. */
  readonly branch: string;
  /** From 0, in the order of the edges, or of the items. */
  readonly index: number;
  /** The parallel node. */
  readonly node_id: string;
  /** The branch that the parallel node itself is in. */
  readonly parent?: string;
}

export interface ParallelBranchStarted extends BranchFields {
  readonly type: 'ParallelBranchStarted';
  /** Set if the branch failed or was stopped before, and continues at the stage that did not finish. */
  readonly resumed?: true;
}

export interface ParallelBranchCompleted extends BranchFields {
  readonly type: 'ParallelBranchCompleted';
  readonly duration: number;
  readonly success: boolean;
  /** `skipped` for a branch that was stopped because it no longer mattered. */
  readonly status: StageStatus;
  readonly error?: string;
}

export interface ParallelCompleted extends StageFields {
  readonly type: 'ParallelCompleted';
  readonly duration: number;
  readonly success_count: number;
  readonly failure_count: number;
  /** Set if the parallel node timed out; the branches that still run are stopped then. */
  readonly error?: string;
}

export interface InterviewStarted extends InBranch {
  readonly type: 'InterviewStarted';
  readonly question: Question;
  readonly stage: string;
}

export interface InterviewCompleted extends InBranch {
  readonly type: 'InterviewCompleted';
  readonly question: string;
  readonly question_id: string;
  readonly stage: string;
  readonly answer: Answer;
  readonly duration: number;
}

export interface InterviewTimeout extends InBranch {
  readonly type: 'InterviewTimeout';
  readonly question: string;
  readonly question_id: string;
  readonly stage: string;
  /** The question's default, or `TIMEOUT`. */
  readonly answer: Answer;
  readonly duration: number;
}

export interface CheckpointSaved {
  readonly type: 'CheckpointSaved';
  readonly node_id: string;
}

/** Entry of the run log (§5.1): nothing failed, but it deserves a look. */
export interface LogAppended {
  readonly type: 'LogAppended';
  readonly level: 'info' | 'warning';
  readonly message: string;
  readonly node_id?: string;
  /** Set if it is about files that git keeps, which a replay has not. */
  readonly about_files?: true;
}
