import type { BudgetLimit, StageBudget } from '../graph/budget-limit.js';
import type { JsonValue } from '../graph/json.js';
import type { SeenStage } from '../graph/values/seen-stages.js';
import { nothingReported, type ReportedBudgets } from './budget-reports.js';
import type { CountedFailures } from './categorize-failure.js';
import type { FailureKind } from './event.js';
import type { FidelityMode } from './fidelity.js';
import type { Files } from './files.js';
import type { Answer, Question } from './interview.js';
import type { Outcome, StageStatus } from './outcome.js';
import {
  nameList,
  orderedPersistentMap,
  type PersistentList,
  type PersistentMap,
  persistentList,
  persistentMap,
} from './persistent.js';
import type { PersonWords } from './person-words.js';
import type { Session } from './progress.js';
import { noUsage, type Usage } from './usage.js';

export type RunStatus = 'created' | 'running' | 'paused' | 'success' | 'fail' | 'cancelled';

/**
 * State of a run at one moment: the fold of its events, never changed in any other way. The collections are
 * persistent, so that a step costs the same after a million steps as after one, and an old state stays
 * valid.
 */
export interface RunState {
  /** `seq` of the last event folded in. */
  readonly seq: number;
  readonly runId: string;
  readonly status: RunStatus;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly inputs: Readonly<Record<string, JsonValue>>;
  /** Values that the start node has assigned, which a restart sets again (SEMANTICS 102). */
  readonly initialValues: Readonly<Record<string, JsonValue>> | undefined;
  /** Overrides the program's limit. */
  readonly maxSteps: number | undefined;
  /** Budget of the run in US dollars, or `none` where it is lifted; `budgetTokens` in tokens (SEMANTICS §12, 126). */
  readonly budgetUsd: BudgetLimit | undefined;
  readonly budgetTokens: number | undefined;
  /** Budgets of stages that calls have set, by node, in place of those of the pipeline (SEMANTICS 126). */
  readonly stageBudgets: ReadonlyMap<string, StageBudget>;
  /** Cursors by id. The main line is the cursor `mainCursor`; running parallel branches are further ones. */
  readonly cursors: ReadonlyMap<string, Cursor>;
  /** Ordinal that the next visit gets. */
  readonly nextIndex: number;
  /** Every started visit, in order (SEMANTICS 88). */
  readonly path: PersistentList<string>;
  /** Every settled visit but the exit's, in order (SEMANTICS 66c). */
  readonly completed: PersistentList<string>;
  /** The node that settled last: `current_node` of the checkpoint (§5.3). */
  readonly lastCompleted: string | undefined;
  /**
   * The latest outcome of each node, in the order of the first one; a skipped stage leaves none (SEMANTICS 37). A diamond that is
   * a goal gate has the one that it passed on.
   */
  readonly outcomes: PersistentMap<string, Outcome>;
  /** The stage whose outcome counts for each visited goal gate: itself, or before a diamond the one that routes (SEMANTICS 21, 32). */
  readonly gateSources: PersistentMap<string, string>;
  /** The latest status of each node, skipped ones included. */
  readonly statuses: PersistentMap<string, StageStatus>;
  /** Every node that was ever simulated, and whether its latest outcome was (SEMANTICS 120); restarts keep it. */
  readonly simulated: PersistentMap<string, boolean>;
  /** Retries used up in the latest visit of each node (SEMANTICS 31). */
  readonly retries: PersistentMap<string, number>;
  /** Failures of each node in the whole run, in the order of the first one; restarts keep them. */
  readonly failures: PersistentMap<string, CountedFailures>;
  readonly visits: PersistentMap<string, number>;
  /** Visits of each node in each branch, by `lineKey`: what `max_visits` counts (SEMANTICS 106). */
  readonly lineVisits: PersistentMap<string, number>;
  /** Begun attempts of each node, over all visits. */
  readonly executions: PersistentMap<string, number>;
  /** Answered questions of each node, over all visits. */
  readonly answers: PersistentMap<string, number>;
  readonly goalGateRedirects: number;
  /** States of the monitors of the program, in their order (SEMANTICS 144). */
  readonly monitors: readonly number[];
  /**
   * Terminal failures by node, then by cursor: consecutive ones for the same reason, without another
   * outcome, an answer of a person or a resume in between (SEMANTICS 127).
   */
  readonly terminalFailures: PersistentMap<string, PersistentMap<string, TerminalFailure>>;
  /** Every branch that has failed, and true if it also failed the last time (SEMANTICS 99). */
  readonly failedBranches: PersistentMap<string, boolean>;
  /** Number of restarts by `loop_restart` (SEMANTICS 36). */
  readonly restarts: number;
  /** Ids of the artifacts that the finished stages have stored. */
  readonly artifacts: PersistentMap<string, true>;
  /** Model usage of each node, over all visits (§9.6). */
  readonly usage: PersistentMap<string, Usage>;
  /** Model usage of all nodes together, since the run began. */
  readonly totalUsage: Usage;
  /** Number of the last counted event about usage, by child run. */
  readonly childUsage: PersistentMap<string, number>;
  /** Models used without a price, with the number of attempts whose cost is still unknown. */
  readonly unpricedModels: PersistentMap<string, number>;
  /** Last reports about the budgets of the run. */
  readonly reportedBudgets: ReportedBudgets;
  /** Files before the latest visit of each node, in a run that commits them. */
  readonly filesBefore: PersistentMap<string, Files>;
  /** Conversations by thread (§5.4). */
  readonly sessions: PersistentMap<string, Session>;
  readonly logs: PersistentList<string>;
  /** Failure of the run. */
  readonly failure: RunFailure | undefined;
  /** Reason of the pause. */
  readonly pausedReason: string | undefined;
  /** Reason of a requested pause, while running stages are awaited and nothing new begins. */
  readonly pausing: string | undefined;
  /**
   * Working time of the run before `workedSince`, in milliseconds; pauses do not count against its
   * `timeout`.
   */
  readonly workedBefore: number;
  /** Milliseconds since 1970. */
  readonly workedSince: number;
  /** Milliseconds since 1970 of the last event. */
  readonly lastEventAt: number;
  /** Milliseconds since 1970; set when the run has ended. */
  readonly endedAt: number | undefined;
}

export interface RunFailure {
  readonly kind: FailureKind;
  readonly reason: string;
  readonly nodeId: string;
  /** Node at which the run continues when it is resumed. */
  readonly resumeAt: string;
  /** Branch that met the failure; all branches then stay where they are. */
  readonly branch: string | undefined;
}

export interface TerminalFailure {
  readonly reason: string;
  readonly count: number;
}

/** The id of the main line, which no branch can have. */
export const mainCursor = '';

/** Value of `branch` in an event of a cursor: undefined for the main line. */
export function branchOf(cursorId: string): string | undefined {
  return cursorId === mainCursor ? undefined : cursorId;
}

/** Identifies a node within a branch; on the main line it is the node's id. */
export function lineKey(cursorId: string, nodeId: string): string {
  return cursorId === mainCursor ? nodeId : `${cursorId}\n${nodeId}`;
}

/** Position of control: the node, and the phase at it. */
export interface Cursor {
  readonly id: string;
  /** Parallel node and index, if the cursor is a branch. */
  readonly branch: BranchOrigin | undefined;
  readonly nodeId: string;
  /** The edge by which control came; undefined after a jump. */
  readonly incomingEdge: number | undefined;
  /** The node that control came from. */
  readonly previousNode: string | undefined;
  readonly phase: CursorPhase;
  readonly visit: number;
  /** Ordinal of the visit in the branch. */
  readonly lineVisit: number;
  readonly attempt: number;
  readonly index: number;
  /** Number of attempts of this node that began before, over all visits. */
  readonly execution: number;
  /** Started stages of the branch, or of the main line, without start and exit, one a visit (SEMANTICS 106). */
  readonly steps: number;
  /** Start of the current attempt, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly context: PersistentMap<string, JsonValue>;
  /** Stages that it sees by their names, those of them that something reads (SEMANTICS 104). */
  readonly stages: PersistentMap<string, SeenStage>;
  /** Stages of the branches that have joined last, in the order of `parallel.results`. */
  readonly branchStages: readonly OwnStages[];
  /** The outcome that routes: the last one of a stage that does not pass another's through (SEMANTICS 21). */
  readonly routedOutcome: Outcome | undefined;
  /** The node that `routedOutcome` comes from. */
  readonly routedFrom: string | undefined;
  /** The outcome of the node itself, once it has settled. */
  readonly outcome: Outcome | undefined;
  /** Start of the next attempt, in the phase `waiting`; 0 until that is decided. */
  readonly waitUntil: number;
  /** Pause that the failed attempt requested, in milliseconds. */
  readonly retryAfterMs: number;
  /** Question that is not yet answered, with the time at which it was asked. */
  readonly question: { readonly question: Question; readonly askedAt: number } | undefined;
  /** Reason why the stage cannot continue now, in the phase `suspended`. */
  readonly suspendedReason: string | undefined;
  /** Model usage of this visit, which counts against its own budget: also that of before the run was resumed. */
  readonly visitUsage: Usage;
  /** Models that its attempt has used without a price, until the agent reports the cost. */
  readonly unpriced: readonly string[];
  /** Last reports about the budgets of this visit. */
  readonly reportedBudgets: ReportedBudgets;
  /** Its files, in a run that commits them. */
  readonly files: Files | undefined;
  /** Answers that this attempt received, so that it receives them again if it is run again after a crash. */
  readonly answers: PersistentMap<string, Answer>;
  /** Words of people that the model of this visit does not have yet, in order. */
  readonly words: readonly PersonWords[];
  /** True while a failed run is resumed at this stage: its visit does not count against `max_visits`. */
  readonly visitIsExempt: boolean;
  /** Items of a visit to a parallel node with `foreach`, once they are known. */
  readonly items: readonly JsonValue[] | undefined;
  /** Branches of a parallel node that are under way. */
  readonly fork: Fork | undefined;
  /**
   * Branches of a failed parallel node, or of one whose branches have all failed, until control continues
   * from their join.
   */
  readonly failedFork: FailedFork | undefined;
  /**
   * True if the stage was stopped in the middle of an attempt; if it must not simply run again, a person is
   * asked.
   */
  readonly wasCutOff: boolean;
  /** Updates of a branch's stages to the context. */
  readonly updates: PersistentMap<string, JsonValue>;
  /** Settled visits of a branch, in order. */
  readonly completed: PersistentList<string>;
  /** True from a resume until this cursor starts its first LLM stage (§5.3, SEMANTICS 67). */
  readonly resumedWithoutSession: boolean;
  /** Fidelity of its latest LLM stage (§5.4), and the session that it shares. */
  readonly fidelity: FidelityMode | undefined;
  readonly thread: string | undefined;
}

/** Stages that a branch has executed, by id. */
export type OwnStages = ReadonlyMap<string, SeenStage>;

/** Origin of a branch. */
export interface BranchOrigin {
  readonly parent: string;
  readonly parallelId: string;
  /** From 0, in the order of the edges, or of the items. */
  readonly index: number;
  readonly startedAt: number;
  /** Context values that no stage of the branch can change: the items around it (SEMANTICS 106). */
  readonly scope: ReadonlyMap<string, JsonValue> | undefined;
}

/** The branches of a parallel node that is under way. */
export interface Fork {
  readonly startedAt: number;
  /** Number of branches. */
  readonly count: number;
  /** Items of the branches, under `foreach`. */
  readonly items: readonly JsonValue[] | undefined;
  /** Index of the first branch that has not started. */
  readonly next: number;
  /** Ended branches by index. */
  readonly results: PersistentMap<number, BranchResult>;
  readonly successes: number;
  readonly failures: number;
  /** Number of failures that no other attempt can help (Appendix D). */
  readonly terminalFailures: number;
  /** Error of the parallel node regardless of its branches: its timeout. */
  readonly error: string | undefined;
  /** Branches that failed or were stopped, as they were then, by index. */
  readonly unfinished: PersistentMap<number, Cursor>;
  /** Files of the ended branches by index, in a run that commits them. */
  readonly files: PersistentMap<number, Files>;
  /** Stages of the ended branches by index, where something reads them by their names. */
  readonly stages: PersistentMap<number, OwnStages>;
  /** Branches of the visit that failed before the run was resumed; finished ones are not repeated. */
  readonly before: Fork | undefined;
}

/** Branches of a settled parallel node, in case the run is resumed there. */
export interface FailedFork {
  readonly nodeId: string;
  readonly fork: Fork;
}

/** Result of a branch: an entry of `parallel.results` (SEMANTICS 50). */
export interface BranchResult {
  /** The first node of the branch, numbered under `foreach`. */
  readonly id: string;
  /** Item of the branch, under `foreach`. */
  readonly item?: JsonValue;
  readonly status: StageStatus;
  /** The status in the words of the status file. */
  readonly outcome: StageStatus;
  readonly notes: string;
  readonly failure_reason: string;
  readonly score: number;
  readonly context_updates: Readonly<Record<string, JsonValue>>;
  readonly completed_nodes: readonly string[];
  readonly duration_ms: number;
}

/**
 * - `arriving`: the node is chosen and not yet started
 * - `restarting`: the node is chosen, by an edge with `loop_restart`
 * - `running`: an attempt is under way
 * - `interrupted`: a stage that must not simply run again was cut off; a person is asked what to do
 * - `forked`: the branches of a parallel node are under way
 * - `suspended`: the stage cannot continue now, as when nobody answers; it runs again when the run is resumed
 * - `waiting`: pausing before the attempt that `attempt` names
 * - `settled`: the outcome is recorded and the next node not yet chosen
 * - `finished`: nothing follows
 */
export type CursorPhase =
  | 'arriving'
  | 'restarting'
  | 'running'
  | 'interrupted'
  | 'forked'
  | 'suspended'
  | 'waiting'
  | 'settled'
  | 'finished';

/** The state before the first event. */
export const initialState: RunState = {
  seq: 0,
  runId: '',
  status: 'created',
  startedAt: 0,
  inputs: {},
  initialValues: undefined,
  maxSteps: undefined,
  budgetUsd: undefined,
  budgetTokens: undefined,
  stageBudgets: new Map(),
  cursors: new Map(),
  nextIndex: 0,
  path: nameList(),
  completed: nameList(),
  lastCompleted: undefined,
  outcomes: orderedPersistentMap(),
  gateSources: persistentMap(),
  statuses: persistentMap(),
  simulated: orderedPersistentMap(),
  failures: orderedPersistentMap(),
  retries: persistentMap(),
  visits: persistentMap(),
  lineVisits: persistentMap(),
  executions: persistentMap(),
  answers: persistentMap(),
  goalGateRedirects: 0,
  monitors: [],
  terminalFailures: persistentMap(),
  failedBranches: persistentMap(),
  restarts: 0,
  artifacts: persistentMap(),
  usage: persistentMap(),
  totalUsage: noUsage,
  childUsage: persistentMap(),
  unpricedModels: persistentMap(),
  reportedBudgets: nothingReported,
  filesBefore: persistentMap(),
  sessions: persistentMap(),
  logs: persistentList(),
  failure: undefined,
  pausedReason: undefined,
  pausing: undefined,
  workedBefore: 0,
  workedSince: 0,
  lastEventAt: 0,
  endedAt: undefined,
};

const noStages: readonly OwnStages[] = [];
const noWords: readonly PersonWords[] = [];

/** A cursor that is about to enter a node. */
export function arrivingCursor(
  id: string,
  nodeId: string,
  context: PersistentMap<string, JsonValue>,
  origin?: { readonly branch: BranchOrigin; readonly incomingEdge: number },
): Cursor {
  return {
    id,
    branch: origin?.branch,
    nodeId,
    incomingEdge: origin?.incomingEdge,
    previousNode: origin?.branch.parallelId,
    phase: 'arriving',
    visit: 0,
    lineVisit: 0,
    attempt: 0,
    index: 0,
    execution: 0,
    steps: 0,
    startedAt: 0,
    context,
    stages: persistentMap(),
    branchStages: noStages,
    routedOutcome: undefined,
    routedFrom: undefined,
    outcome: undefined,
    waitUntil: 0,
    retryAfterMs: 0,
    question: undefined,
    suspendedReason: undefined,
    files: undefined,
    visitUsage: noUsage,
    unpriced: [],
    reportedBudgets: nothingReported,
    answers: persistentMap(),
    words: noWords,
    visitIsExempt: false,
    items: undefined,
    fork: undefined,
    failedFork: undefined,
    wasCutOff: false,
    updates: persistentMap(),
    completed: persistentList(),
    resumedWithoutSession: false,
    fidelity: undefined,
    thread: undefined,
  };
}

/** @throws Error for a cursor that does not exist: a bug of the driver */
export function cursorNamed(state: RunState, id: string): Cursor {
  const cursor = state.cursors.get(id);
  if (cursor === undefined) throw new Error(`the run has no cursor "${id}"`);
  return cursor;
}
