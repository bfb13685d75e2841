import type { Program } from '../../graph/program.js';
import type { LogAppended } from '../../machine/event.js';
import type { StageStatus } from '../../machine/outcome.js';
import type { BranchOrigin } from '../../machine/state.js';
import { noUsage, type Usage, type UsageUnit } from '../../machine/usage.js';
import type { Jump } from '../../render/run-overlay.js';
import type { FailureOverview, OpenQuestion } from '../active-stage.js';
import type { Streams } from './stage-text.js';
import type { VisitRecord } from './visit-record.js';
import { VisitWindow } from './visit-window.js';

/** The lifecycle as the journal tells it; whether a process is alive, it cannot know. */
export type RecordedStatus = 'created' | 'running' | 'paused' | 'success' | 'fail' | 'cancelled';

/** How much of a run its view keeps: what grows with the length of the run is kept only as far as somebody needs it. */
export interface ViewScope {
  /** How many visits are kept: the latest. Those that are under way are known in any case. */
  readonly rows: number;
  /** Of how many of those more than a line is kept. */
  readonly details: number;
  /** Keeps the visits of this node only. */
  readonly nodeId?: string;
  /** The nodes of the pipeline, on which the places of files depend; without them no place is known. */
  readonly nodes?: Program['nodes'];
  /** Characters of what the model of a running stage has said: the latest. */
  readonly text: number;
  /** How many warnings of the run log are kept: the latest. */
  readonly warnings: number;
  /** Keeps which questions were ever asked, answered or not. */
  readonly asked?: true;
}

/** A view that takes the same room however long the run is. */
export const narrowScope: ViewScope = { rows: 0, details: 0, text: 0, warnings: 0 };

/**
 * A run as its events tell it so far: what everybody sees of a run is selected from this. `apply` folds one event into it,
 * and nothing else changes it. It needs the events only, not the pipeline, so that it also understands runs whose handlers
 * and transforms are not at hand.
 */
export interface RunView {
  readonly scope: ViewScope;
  /** Of the last event; 0 before the first. */
  seq: number;
  lastEventTime: string | undefined;
  runId: string;
  /** What the last event said that tells people anything. */
  lastDescription: string;
  status: RecordedStatus;
  startedAt: string | undefined;
  endedAt: string | undefined;
  worked: WorkedTime;
  /** Why the run is to pause as soon as what runs has ended. */
  pausing: string | undefined;
  pausedReason: string | undefined;
  /** The stage that could not continue, where it was that which paused the run, and nobody who asked for it. */
  pausedAt: string | undefined;
  failure: { readonly reason: string; readonly node_id: string } | undefined;
  restarts: number;
  /** Where stages keep their files, in the run directory. */
  stageDirectory: string;
  /** The exit node; undefined in a run of an older version. */
  exitId: string | undefined;
  /** Settled visits since the last restart, without that of the exit. */
  completed: number;
  lastSettled: string | undefined;
  retries: number;
  failedAttempts: number;
  /** Attempts that have come to an outcome. */
  endedAttempts: number;
  /** Grows when the run begins, stops, asks or is answered. */
  turns: number;
  /** The latest status of each node since the last restart. */
  readonly statuses: Map<string, StageStatus>;
  /** How often each node was entered since the last restart. */
  readonly entered: Map<string, number>;
  /** Every branch that has failed since the last restart, and whether it did so the last time too (SEMANTICS 99). */
  readonly failedBranches: Map<string, boolean>;
  /** The stages whose latest outcome was only simulated (SEMANTICS 120). */
  readonly simulated: Set<string>;
  readonly failures: Map<string, FailureOverview>;
  /** Ids of what the stages have stored. */
  readonly artifacts: Set<string>;
  readonly nodes: Map<string, NodeView>;
  /** By branch: its latest visit, which may have settled; the main line has the id `mainCursor`. */
  readonly current: Map<string, VisitRecord>;
  readonly questions: Map<string, OpenQuestion>;
  /** By its id, the stage of every question that was ever asked, where the scope wants that. */
  readonly asked: Map<string, string>;
  readonly parallels: Map<string, ParallelView>;
  /** Where the branches under way come from. */
  readonly origins: Map<string, { readonly branch: BranchOrigin }>;
  /** By index in the graph: how often control took each edge. */
  readonly edges: Map<number, number>;
  /** How often each branch of a parallel node has begun, by `JSON` of node and ordinal. */
  readonly branchStarts: Map<string, BranchStarts>;
  readonly jumps: Map<string, Jump>;
  readonly usage: UsageView;
  readonly visits: VisitWindow;
  /** By place: the latest visit, whose files are there. */
  readonly latestAt: Map<string, VisitRecord>;
  readonly streams: Streams;
  warnings: Warning[];
}

/** Time for which a run was worked on: pauses and waits for people do not count. */
export interface WorkedTime {
  /** Milliseconds before `since`. */
  readonly ms: number;
  /** Start of the work under way, ISO 8601. */
  readonly since: string | undefined;
}

/** A node over the whole run. */
export interface NodeView {
  readonly latest: VisitRecord;
  /** Restarts included. */
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

/** What a run has used of models (SEMANTICS §12). */
export interface UsageView {
  total: Usage;
  readonly byNode: Map<string, NodeUsage>;
  readonly byModel: Map<string, ModelUsage>;
  /** The models that were used without a price: in how many attempts whose costs nobody has said since. */
  readonly unpriced: Map<string, number>;
  /** By branch: those of the attempt under way. */
  readonly unpricedNow: Map<string, Set<string>>;
  readonly limits: Map<UsageUnit, number>;
  /** Budgets of stages, by node and unit, as soon as most of one is used. */
  readonly ofStages: Map<string, BudgetOverview>;
}

export interface NodeUsage {
  readonly usage: Usage;
  /** Of the latest request. */
  readonly provider: string;
  readonly model: string;
  /** All that were asked: agents and child runs may ask several, each at its own price. */
  readonly models: ReadonlySet<string>;
}

export interface ModelUsage {
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
}

/** A budget, for somebody who looks at a run from outside. */
export interface BudgetOverview {
  readonly unit: UsageUnit;
  readonly limit: number;
  readonly used: number;
  /** The stage whose visit may use so much; null for the budget of the run. */
  readonly node_id: string | null;
}

/** The view of a run that has not begun. */
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
    streams: new Map(),
    warnings: [],
  };
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
