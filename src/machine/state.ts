import type { JsonValue } from '../graph/json.js';
import { nothingReported, type ReportedBudgets } from './budget-news.js';
import type { FailureKind } from './event.js';
import type { FidelityMode } from './fidelity.js';
import type { Files } from './files.js';
import type { Answer, Question } from './interview.js';
import type { Outcome, StageStatus } from './outcome.js';
import {
  orderedPersistentMap,
  type PersistentList,
  type PersistentMap,
  persistentList,
  persistentMap,
} from './persistent.js';
import type { Session } from './progress.js';
import { noUsage, type Usage } from './usage.js';

export type RunStatus = 'created' | 'running' | 'paused' | 'success' | 'fail' | 'cancelled';

/**
 * Everything that a run is at one moment: the fold of its events, never changed in any other way. The collections are
 * persistent, so that a step costs the same after a million steps as after one, and an old state stays valid.
 */
export interface RunState {
  /** `seq` of the last event folded in. */
  readonly seq: number;
  readonly runId: string;
  readonly status: RunStatus;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly inputs: Readonly<Record<string, JsonValue>>;
  /** Overrides the program's limit. */
  readonly maxSteps: number | undefined;
  /** What the run may use of models (SEMANTICS §12). */
  readonly budgetUsd: number | undefined;
  readonly budgetTokens: number | undefined;
  /** Where control is. The main line is the cursor `mainCursor`; parallel branches that are under way are further ones. */
  readonly cursors: ReadonlyMap<string, Cursor>;
  /** Started stages without start and exit, one a visit. */
  readonly steps: number;
  /** Ordinal that the next visit gets. */
  readonly nextIndex: number;
  /** Every started visit, in order (SEMANTICS 88). */
  readonly path: PersistentList<string>;
  /** Every settled visit but the exit's, in order (SEMANTICS 66c). */
  readonly completed: PersistentList<string>;
  /** The node that settled last: `current_node` of the checkpoint (§5.3). */
  readonly lastCompleted: string | undefined;
  /** The latest outcome of each node, in the order of the first one; a skipped stage leaves none (SEMANTICS 37). */
  readonly outcomes: PersistentMap<string, Outcome>;
  /** The latest status of each node, skipped ones included. */
  readonly statuses: PersistentMap<string, StageStatus>;
  /** Every node that was ever simulated, and whether its latest outcome was (SEMANTICS 120); restarts keep it. */
  readonly simulated: PersistentMap<string, boolean>;
  /** Retries used up in the latest visit of each node (SEMANTICS 31). */
  readonly retries: PersistentMap<string, number>;
  readonly visits: PersistentMap<string, number>;
  /** The same of each node in each branch, by `lineKey`: what `max_visits` counts (SEMANTICS 106). */
  readonly lineVisits: PersistentMap<string, number>;
  /** Begun attempts of each node, over all visits. */
  readonly executions: PersistentMap<string, number>;
  /** Answered questions of each node, over all visits. */
  readonly answers: PersistentMap<string, number>;
  readonly goalGateRedirects: number;
  /**
   * By node, then by cursor: how often it has failed for good, for the same reason, without another outcome, an answer of
   * a person or a resume in between (SEMANTICS 127).
   */
  readonly terminalFailures: PersistentMap<string, PersistentMap<string, TerminalFailure>>;
  /** Every branch that has failed, and whether it did so the last time too (SEMANTICS 99). */
  readonly failedBranches: PersistentMap<string, boolean>;
  /** How often `loop_restart` has started the pipeline afresh (SEMANTICS 36). */
  readonly restarts: number;
  /** How many artifacts the finished stages have stored. */
  readonly artifacts: PersistentMap<string, true>;
  /** What the stages of each node have used of models, over all visits (§9.6). */
  readonly usage: PersistentMap<string, Usage>;
  /** The same of all nodes together, since the run began. */
  readonly totalUsage: Usage;
  /** By child run: the last of its events whose usage is counted. */
  readonly childUsage: PersistentMap<string, number>;
  /** The models that have been used without a price: in how many attempts whose costs nobody has said since. */
  readonly unpricedModels: PersistentMap<string, number>;
  /** What was said of the budgets of the run. */
  readonly budgetsTold: ReportedBudgets;
  /** Where the files stood before the latest visit of each node, of a run that commits them. */
  readonly filesBefore: PersistentMap<string, Files>;
  /** By thread: the conversation that its stages share (§5.4). */
  readonly sessions: PersistentMap<string, Session>;
  readonly logs: PersistentList<string>;
  /** Why the run failed. */
  readonly failure: RunFailure | undefined;
  /** Why the run is paused. */
  readonly pausedReason: string | undefined;
  /** Set while what runs is waited for and nothing new begins, because the run is to pause. */
  readonly pausing: string | undefined;
  /** Milliseconds for which the run was worked on before `workedSince`; pauses do not count against its `timeout`. */
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
  /** Where the run continues when it is resumed. */
  readonly resumeAt: string;
  /** The branch that met the failure; all branches then stay where they are. */
  readonly branch: string | undefined;
}

export interface TerminalFailure {
  readonly reason: string;
  readonly count: number;
}

/** The id of the main line, which no branch can have. */
export const mainCursor = '';

/** The `branch` of an event of a cursor: none for the main line. */
export function branchOf(cursorId: string): string | undefined {
  return cursorId === mainCursor ? undefined : cursorId;
}

/** Identifies a node within a branch; on the main line it is the node's id. */
export function lineKey(cursorId: string, nodeId: string): string {
  return cursorId === mainCursor ? nodeId : `${cursorId}\n${nodeId}`;
}

/** A place of control: which node, and how far it has come with it. */
export interface Cursor {
  readonly id: string;
  /** Of a branch: the cursor of the parallel node and which of its branches this is. */
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
  /** How many attempts of this node began before, over all visits. */
  readonly execution: number;
  /** When the current attempt began, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly context: PersistentMap<string, JsonValue>;
  /** The outcome that routes: the last one of a stage that does not pass another's through (SEMANTICS 21). */
  readonly routedOutcome: Outcome | undefined;
  /** The node that `routedOutcome` comes from. */
  readonly routedFrom: string | undefined;
  /** The outcome of the node itself, once it has settled. */
  readonly outcome: Outcome | undefined;
  /** When the next attempt begins, in the phase `waiting`; 0 until that is decided. */
  readonly waitUntil: number;
  /** How long the one who failed asked to be left alone, in milliseconds. */
  readonly retryAfterMs: number;
  /** Asked and not yet answered, with when it was asked. */
  readonly question: { readonly question: Question; readonly askedAt: number } | undefined;
  /** Why the stage cannot continue now, in the phase `suspended`. */
  readonly suspendedReason: string | undefined;
  /** What this visit has used of models, since the run was last resumed: its own budget is held against it. */
  readonly visitUsage: Usage;
  /** The models that its attempt has used without a price, until the agent says what they cost. */
  readonly unpriced: readonly string[];
  /** What was said of the budgets of this visit since then. */
  readonly budgetsTold: ReportedBudgets;
  /** Where its files stand, of a run that commits them. */
  readonly files: Files | undefined;
  /** Answers that this attempt was given, so that it gets them again if it is run again after a crash. */
  readonly answers: PersistentMap<string, Answer>;
  /** Set while a failed run is resumed at this stage: its visit is not held against `max_visits`. */
  readonly visitIsExempt: boolean;
  /** Of a parallel node whose branches are under way. */
  readonly fork: Fork | undefined;
  /** After a parallel node that has failed, or all of whose branches have, until control continues from their join. */
  readonly failedFork: FailedFork | undefined;
  /** Set where the stage was stopped in the middle of an attempt: one that must not simply run again is asked about. */
  readonly wasCutOff: boolean;
  /** Of a branch: what its stages have added to the context. */
  readonly updates: PersistentMap<string, JsonValue>;
  /** Of a branch: its settled visits, in order. */
  readonly completed: PersistentList<string>;
  /** Set from a resume until this cursor starts its first LLM stage (§5.3, SEMANTICS 67). */
  readonly resumedWithoutSession: boolean;
  /** How much its latest LLM stage is told of what went before (§5.4), and the session that it shares. */
  readonly fidelity: FidelityMode | undefined;
  readonly thread: string | undefined;
}

/** Where a branch comes from. */
export interface BranchOrigin {
  readonly parent: string;
  readonly parallelId: string;
  /** From 0, in the order of the edges. */
  readonly index: number;
  readonly startedAt: number;
}

/** The branches of a parallel node that is under way. */
export interface Fork {
  readonly startedAt: number;
  /** Index of the first branch that has not started. */
  readonly next: number;
  /** By index: those that have ended. */
  readonly results: PersistentMap<number, BranchResult>;
  readonly successes: number;
  readonly failures: number;
  /** Failures of a kind that no other attempt can help (Appendix D). */
  readonly terminalFailures: number;
  /** Why the parallel node fails whatever its branches did: its time is up. */
  readonly error: string | undefined;
  /** By index: the branches that failed or were stopped, as they were then. */
  readonly unfinished: PersistentMap<number, Cursor>;
  /** By index: of a run that commits its files, where those of those that have ended stand. */
  readonly files: PersistentMap<number, Files>;
  /** The branches of the visit that failed before the run was resumed; what had finished of them is not done again. */
  readonly before: Fork | undefined;
}

/** What became of the branches of a parallel node, for the case that the run is resumed there. */
export interface FailedFork {
  readonly nodeId: string;
  readonly fork: Fork;
}

/** How a branch ended: an entry of `parallel.results` (SEMANTICS 50). */
export interface BranchResult {
  /** The first node of the branch. */
  readonly id: string;
  readonly status: StageStatus;
  /** The same, in the words of the status file. */
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
  maxSteps: undefined,
  budgetUsd: undefined,
  budgetTokens: undefined,
  cursors: new Map(),
  steps: 0,
  nextIndex: 0,
  path: persistentList(),
  completed: persistentList(),
  lastCompleted: undefined,
  outcomes: orderedPersistentMap(),
  statuses: persistentMap(),
  simulated: orderedPersistentMap(),
  retries: persistentMap(),
  visits: persistentMap(),
  lineVisits: persistentMap(),
  executions: persistentMap(),
  answers: persistentMap(),
  goalGateRedirects: 0,
  terminalFailures: persistentMap(),
  failedBranches: persistentMap(),
  restarts: 0,
  artifacts: persistentMap(),
  usage: persistentMap(),
  totalUsage: noUsage,
  childUsage: persistentMap(),
  unpricedModels: persistentMap(),
  budgetsTold: nothingReported,
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
    startedAt: 0,
    context,
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
    budgetsTold: nothingReported,
    answers: persistentMap(),
    visitIsExempt: false,
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
