import type { JsonValue } from '../graph/json.js';
import type { Budget } from './budget-news.js';
import type { FailureCategory } from './failure-category.js';
import type { FidelityMode } from './fidelity.js';
import type { Answer, Question } from './interview.js';
import type { Outcome, StageStatus } from './outcome.js';
import type { ModelUse, OutputChannel, Session, ToolCallEnd, ToolCallStart } from './progress.js';

/**
 * A fact of a run (§9.6): one line of the journal, in the specification's names and in snake_case. The state of a run is
 * the fold of its events, so an event holds all that the fold needs and nothing that it can compute.
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
  | SessionStarted
  | BudgetWarning
  | BudgetExceeded
  | EdgeSelected
  | LoopRestarted
  | ParallelStarted
  | ParallelBranchStarted
  | ParallelBranchCompleted
  | ParallelCompleted
  | InterviewStarted
  | InterviewCompleted
  | InterviewTimeout
  | CheckpointSaved
  | LogAppended;

/** Every type of event, for readers of a journal; the compiler keeps it complete. */
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
  SessionStarted: true,
  BudgetWarning: true,
  BudgetExceeded: true,
  EdgeSelected: true,
  LoopRestarted: true,
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
  /** The values given by `--set`. */
  readonly inputs: Readonly<Record<string, JsonValue>>;
  /** Overrides the graph attribute. */
  readonly max_steps?: number;
  /** What the run may use, as the call says, or else the graph. */
  readonly budget_usd?: number;
  readonly budget_tokens?: number;
  /** The commit that the run begins at, of a run that commits its files. */
  readonly commit?: string;
}

/** The `from` of a `PipelineResumed` with which a fork begins. */
export const forked = 'forked';

export interface PipelineResumed {
  readonly type: 'PipelineResumed';
  /** The status in which the run was found; `forked` where a fork begins. */
  readonly from: string;
  readonly max_steps?: number;
  /** Where they are others than before. */
  readonly budget_usd?: number;
  readonly budget_tokens?: number;
  /** Where to continue, instead of where the run stopped. */
  readonly node_id?: string;
  /** Values given by `--set` this time. */
  readonly inputs?: Readonly<Record<string, JsonValue>>;
}

/** The run is to pause as soon as the stages that are running have ended. */
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

/** What kind of dead end a run met; resuming depends on it. */
export type FailureKind = 'stage' | 'routing' | 'goal_gate' | 'limit' | 'timeout';

export interface PipelineFailed extends InBranch {
  readonly type: 'PipelineFailed';
  readonly error: string;
  readonly duration: number;
  readonly kind: FailureKind;
  /** Where it failed. */
  readonly node_id: string;
  /** The stage that runs again when the run is resumed, where that is another one. */
  readonly resume_at?: string;
  /** What kind of error is behind it (Appendix D), where that is known. */
  readonly failure_category?: FailureCategory;
}

export interface PipelineCancelled {
  readonly type: 'PipelineCancelled';
  readonly duration: number;
}

/** Where an event belongs: to the main line of the run, unless it names a parallel branch. */
interface InBranch {
  readonly branch?: string;
}

/** What all stage events say of their stage (SEMANTICS 94). */
interface StageFields extends InBranch {
  readonly node_id: string;
  /** The label of the node. */
  readonly name: string;
  /** Ordinal of the visit in the run, from 0 (SEMANTICS 74a). */
  readonly index: number;
  /** From 1; a retry is the next attempt of the same visit. */
  readonly attempt: number;
  /** From 1; how often this node was entered. */
  readonly visit: number;
}

export interface StageStarted extends StageFields {
  readonly type: 'StageStarted';
  /** Set when the attempt was cut off by the end of a process and runs again. */
  readonly resumed?: true;
  /** Of an LLM stage: how much it is told of what went before (§5.4). */
  readonly fidelity?: FidelityMode;
  /** Of an LLM stage with the fidelity `full`: the session that it shares with others. */
  readonly thread_id?: string;
  /** Set where the fidelity is less than what the pipeline asks for, because sessions do not survive a process (§5.3). */
  readonly degraded?: true;
}

/** What a stage leaves, of a run that commits its files. */
interface LeavesFiles {
  /** The commit that its files are at now; missing where nothing of the attempt is kept. */
  readonly commit?: string;
}

/** Whether the work of a stage was done at all. */
interface MayPretend {
  /** Set where the attempt only pretended to do its work: it was simulated or scripted (SEMANTICS 120). */
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
  /** Set where the stage was stopped, because its branch no longer mattered; it may run again when the run is resumed. */
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

/** A stage cannot continue now, as when nobody is there to answer; it runs again when the run is resumed. */
export interface StageSuspended extends StageFields {
  readonly type: 'StageSuspended';
  readonly reason: string;
}

/** A part of what the model of a stage answers or thinks, as it comes in. */
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

/** From now on the stages of a thread can continue with a conversation (§5.4). */
export interface SessionStarted extends StageFields, Session {
  readonly type: 'SessionStarted';
  readonly thread_id: string;
}

/** Of a budget (SEMANTICS §12). */
interface BudgetFields extends InBranch, Budget {
  /** What was used of it. */
  readonly used: number;
  /** The stage that used it last; missing where that is found when the run is resumed. */
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

/** Why control went where it went (§3.3, §3.7, §3.4). */
export type RoutingReason =
  | 'condition'
  | 'preferred_label'
  | 'suggested_next_ids'
  | 'weight'
  | 'failure_to_conditional'
  | 'retry_target'
  | 'fallback_retry_target'
  | 'goal_gate'
  /** From a parallel node to where its branches meet. */
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
  /** The unsatisfied goal gate behind a jump. */
  readonly gate?: string;
  /** Set where the edge starts the pipeline afresh. */
  readonly loop_restart?: true;
}

/** The pipeline starts afresh at a node, with a fresh context and in a directory of its own (SEMANTICS 36). */
export interface LoopRestarted {
  readonly type: 'LoopRestarted';
  readonly node_id: string;
  /** From 1. */
  readonly restart: number;
  /** Where the stages keep their files from now on, in the run directory. */
  readonly directory: string;
}

export interface ParallelStarted extends StageFields, LeavesFiles {
  readonly type: 'ParallelStarted';
  readonly branch_count: number;
  readonly max_parallel: number;
  /** Where the branches meet again. */
  readonly join: string;
  /** Set where a parallel node that failed continues when the run is resumed: how many of its branches stay as they ended. */
  readonly kept?: number;
}

/** What both events of a branch say. */
interface BranchFields {
  /** The id of the branch: its first node, after the ids of the branches around it. */
  readonly branch: string;
  /** From 0, in the order of the edges. */
  readonly index: number;
  /** The parallel node. */
  readonly node_id: string;
  /** The branch that the parallel node itself is in. */
  readonly parent?: string;
}

export interface ParallelBranchStarted extends BranchFields {
  readonly type: 'ParallelBranchStarted';
  /** Set where the branch failed or was stopped before, and continues at the stage that did not finish. */
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
  /** Set where the time of the parallel node was up; the branches that still run are stopped then. */
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

/** An entry of the run log (§5.1), for what went on but deserves a look. */
export interface LogAppended {
  readonly type: 'LogAppended';
  readonly level: 'info' | 'warning';
  readonly message: string;
  readonly node_id?: string;
}
