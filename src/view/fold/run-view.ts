import type { BudgetLimit } from '../../graph/budget-limit.js';
import type { JsonValue } from '../../graph/json.js';
import type { Program } from '../../graph/program.js';
import type { CountedFailures } from '../../machine/categorize-failure.js';
import type { LogAppended } from '../../machine/event.js';
import type { StageStatus } from '../../machine/outcome.js';
import type { BranchOrigin } from '../../machine/state.js';
import { noUsage, type Usage, type UsageUnit } from '../../machine/usage.js';
import type { Jump } from '../../render/run-overlay.js';
import type { OpenQuestion } from '../active-stage.js';
import type { BranchTable } from './branch-table.js';
import type { VisitRecord } from './visit-record.js';
import { VisitWindow } from './visit-window.js';

/** Lifecycle according to the journal, which does not know if a process is alive. */
export type RecordedStatus = 'created' | 'running' | 'paused' | 'success' | 'fail' | 'cancelled';

/** Parts of a run that its view keeps: those that grow with the length of the run are optional. */
export interface ViewScope {
  /** Number of visits that are kept: the latest. Those under way are known in any case. */
  readonly rows: number;
  /** Number of those that are kept with details. */
  readonly details: number;
  /** Keeps the visits of this node only. */
  readonly nodeId?: string;
  /** Visit of that node that is kept with details, however many there are after it. */
  readonly visit?: number | undefined;
  /** Nodes of the pipeline, which determine the directories of visits; unknown without them. */
  readonly nodes?: Program['nodes'];
  /** Characters of the output of a running stage's model: the latest. */
  readonly text: number;
  /** Number of warnings of the run log that are kept: the latest. */
  readonly warnings: number;
  /** Keeps all questions ever asked, answered or not. */
  readonly asked?: true;
  /** Keeps the branches of every visit to a parallel node, with their items and results. */
  readonly branches?: true;
}

/** View whose size does not depend on the length of the run. */
export const narrowScope: ViewScope = { rows: 0, details: 0, text: 0, warnings: 0 };

/**
 * Run according to its events so far: everything that people see of a run is selected from this. `apply`
 * folds one event into it, and nothing else changes it. It needs the events only, not the pipeline, so that
 * it also understands runs without their handlers and transforms.
 */
export interface RunView {
  readonly scope: ViewScope;
  /** Number of the last event; 0 before the first. */
  seq: number;
  lastEventTime: string | undefined;
  runId: string;
  /** Description of the last event that matters to people. */
  lastDescription: string;
  status: RecordedStatus;
  startedAt: string | undefined;
  endedAt: string | undefined;
  worked: WorkedTime;
  /** Reason of a requested pause, while running stages are awaited. */
  pausing: string | undefined;
  pausedReason: string | undefined;
  /** Stage that could not continue, if it was that which paused the run, and not a request. */
  pausedAt: string | undefined;
  failure: { readonly reason: string; readonly node_id: string } | undefined;
  restarts: number;
  /** Directory of the stages' files, in the run directory. */
  stageDirectory: string;
  /** The exit node; undefined in a run of an older version. */
  exitId: string | undefined;
  /** Settled visits since the last restart, without that of the exit. */
  completed: number;
  lastSettled: string | undefined;
  retries: number;
  failedAttempts: number;
  /** Number of attempts with an outcome. */
  endedAttempts: number;
  /** Counter that grows when the run begins, stops, asks or gets an answer. */
  turns: number;
  /** Latest status of each node since the last restart. */
  readonly statuses: Map<string, StageStatus>;
  /** Number of visits to each node since the last restart. */
  readonly entered: Map<string, number>;
  /**
   * Every branch that has failed since the last restart, and true if it also failed the last time
   * (SEMANTICS 99).
   */
  readonly failedBranches: Map<string, boolean>;
  /** Stages whose latest outcome was only simulated (SEMANTICS 120). */
  readonly simulated: Set<string>;
  readonly failures: Map<string, CountedFailures>;
  /** Ids of stored artifacts. */
  readonly artifacts: Set<string>;
  readonly nodes: Map<string, NodeView>;
  /** Latest visits by branch, which may have settled; the main line has the id `mainCursor`. */
  readonly current: Map<string, VisitRecord>;
  readonly questions: Map<string, OpenQuestion>;
  /** Stages of all questions ever asked, by the id of the question, if the scope includes them. */
  readonly asked: Map<string, string>;
  readonly parallels: Map<string, ParallelView>;
  /** Origins of the branches under way. */
  readonly origins: Map<string, { readonly branch: Omit<BranchOrigin, 'scope'> }>;
  /** Number of times that control took each edge, by its index in the graph. */
  readonly edges: Map<number, number>;
  /** Number of starts of each branch of a parallel node, by `JSON` of node and ordinal. */
  readonly branchStarts: Map<string, BranchStarts>;
  readonly jumps: Map<string, Jump>;
  readonly usage: UsageView;
  readonly visits: VisitWindow;
  /** Latest visits by the directory of their files. */
  readonly latestAt: Map<string, VisitRecord>;
  /** Latest branches of parallel nodes, and items of a list that an event continues, by node and branch. */
  readonly tables: Map<string, BranchTable>;
  readonly itemsSoFar: Map<string, readonly JsonValue[]>;
  warnings: Warning[];
}

/** Time for which a run was worked on: pauses and waits for people do not count. */
export interface WorkedTime {
  /** Milliseconds before `since`. */
  readonly ms: number;
  /** Start of the work under way, ISO 8601. */
  readonly since: string | undefined;
}

/** Summary of a node over the whole run. */
export interface NodeView {
  readonly latest: VisitRecord;
  /** Number of visits, restarts included. */
  readonly visits: number;
}

export interface ParallelView {
  readonly node_id: string;
  readonly branch: string | null;
  readonly branch_count: number;
  readonly branches: Map<string, BranchView>;
}

export interface BranchView {
  readonly branch: string;
  readonly state: 'running' | StageStatus;
  readonly since: string;
  readonly duration_ms: number | null;
  readonly error: string | null;
}

export interface BranchStarts {
  readonly nodeId: string;
  readonly index: number;
  readonly count: number;
}

export type Warning = Pick<LogAppended, 'message' | 'node_id'> & { readonly at: string };

/** Model usage of a run (SEMANTICS §12). */
export interface UsageView {
  total: Usage;
  readonly byNode: Map<string, NodeUsage>;
  readonly byModel: Map<string, ModelUsage>;
  /** Models used without a price, with the number of attempts whose cost is still unknown. */
  readonly unpriced: Map<string, number>;
  /** Those of the current attempt, by branch. */
  readonly unpricedNow: Map<string, Set<string>>;
  /** Budgets of the run; `none` where somebody has lifted the default. */
  readonly limits: Map<UsageUnit, BudgetLimit>;
  /** Budgets of stages, by node and unit, as soon as most of one is used. */
  readonly ofStages: Map<string, BudgetOverview>;
}

export interface NodeUsage {
  readonly usage: Usage;
  /** Provider of the latest request. */
  readonly provider: string;
  readonly model: string;
  /** All models used: agents and child runs may use several, each at its own price. */
  readonly models: ReadonlySet<string>;
}

export interface ModelUsage {
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
}

/** Budget, for readers outside of the run. */
export interface BudgetOverview {
  readonly unit: UsageUnit;
  readonly limit: number;
  readonly used: number;
  /** Stage whose visit has this budget; null for the budget of the run. */
  readonly node_id: string | null;
}

/** View of a run that has not begun. */
export function emptyView(scope: ViewScope = narrowScope): RunView {
  return {
    scope,
    seq: 0,
    lastEventTime: undefined,
    runId: '',
    lastDescription: '',
    status: 'created',
    startedAt: undefined,
    endedAt: undefined,
    worked: { ms: 0, since: undefined },
    pausing: undefined,
    pausedReason: undefined,
    pausedAt: undefined,
    failure: undefined,
    restarts: 0,
    stageDirectory: '',
    exitId: undefined,
    completed: 0,
    lastSettled: undefined,
    retries: 0,
    failedAttempts: 0,
    endedAttempts: 0,
    turns: 0,
    statuses: new Map(),
    entered: new Map(),
    failedBranches: new Map(),
    simulated: new Set(),
    failures: new Map(),
    artifacts: new Set(),
    nodes: new Map(),
    current: new Map(),
    questions: new Map(),
    asked: new Map(),
    parallels: new Map(),
    origins: new Map(),
    edges: new Map(),
    branchStarts: new Map(),
    jumps: new Map(),
    usage: emptyUsage(),
    visits: new VisitWindow(scope),
    latestAt: new Map(),
    tables: new Map(),
    itemsSoFar: new Map(),
    warnings: [],
  };
}

/** A view that was copied as plain data, for example to a file, as it was. */
export function restoredView(copy: RunView): RunView {
  const visits = new VisitWindow(copy.scope);
  visits.omitted = copy.visits.omitted;
  return { ...copy, visits };
}

function emptyUsage(): UsageView {
  return {
    total: noUsage,
    byNode: new Map(),
    byModel: new Map(),
    unpriced: new Map(),
    unpricedNow: new Map(),
    limits: new Map(),
    ofStages: new Map(),
  };
}
