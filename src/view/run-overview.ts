import path from 'node:path';
import { countedFailures } from '../machine/categorize-failure.js';
import type { Usage } from '../machine/usage.js';
import { type Manifest, readManifest } from '../run-directory/manifest.js';
import { runFiles } from '../run-directory/run-files.js';
import {
  isRequestPending,
  type RunOwner,
  readStageWorkers,
  runOwner,
} from '../run-directory/run-requests.js';
import { readScript } from '../run-directory/simulation-script.js';
import { branchOfRun } from '../workspaces/git/branch-names.js';
import type { ActiveParallel, ActiveStage, FailureOverview, OpenQuestion } from './active-stage.js';
import { activeParallels, activeStages, openQuestions } from './active-stages.js';
import { budgetsOf } from './budgets.js';
import { type ChildOverview, childOverviews } from './child-overview.js';
import type { BudgetOverview, RunView, ViewScope } from './fold/run-view.js';
import { readView } from './read-view.js';
import { isOver, type OverviewStatus, type Quality, qualityOf, stepsOf } from './run-status.js';

/** Process that executes a run. */
export interface ExecutingProcess {
  readonly pid: number;
  readonly since: string;
  /** Name of the host on which `pid` means it, in another container or on another machine; null for this one. */
  readonly host: string | null;
  /** Id of the worker that it is, in a cluster; null for any other process. */
  readonly worker: string | null;
}

/**
 * Current activity of a run, as `status --json` prints it: read from outside, whatever process executes it.
 */
export interface RunOverview {
  readonly run_id: string;
  readonly run_dir: string;
  readonly name: string;
  readonly goal: string;
  readonly status: OverviewStatus;
  /** Process that executes it, and the time at which it took the run (ISO 8601). */
  readonly process: ExecutingProcess | null;
  /** Request to the run from outside, until it is fulfilled. */
  readonly requested: 'pause' | 'cancel' | null;
  /** Branch of a run with git, on which its stages are committed, their directory, and the URL to which the branch is pushed. */
  readonly git: {
    readonly branch: string;
    readonly directory: string;
    readonly remote: string | null;
  } | null;
  /** Run whose history this one shares, and the last event that both have. */
  readonly forked_from: { readonly run_id: string; readonly seq: number } | null;
  /** True if every stage that is not scripted is simulated. */
  readonly simulated: boolean;
  /** Stages whose latest outcome was simulated or scripted, or that ran a pipeline with such stages. */
  readonly simulated_stages: readonly string[];
  /** Nodes whose outcomes are scripted. */
  readonly scripted_nodes: readonly string[];
  readonly start_time: string;
  readonly end_time: string | null;
  /** Milliseconds from start to end, or until now. */
  readonly duration_ms: number;
  readonly paused_reason: string | null;
  readonly failure_reason: string | null;
  readonly failed_node: string | null;
  /** Stages under way; if no process executes the run: stages that run again when it is resumed. */
  readonly stages: readonly ActiveStage[];
  readonly parallels: readonly ActiveParallel[];
  readonly questions: readonly OpenQuestion[];
  /** Stage that has settled last. */
  readonly last_stage: string | null;
  /** Number of settled visits, without start and exit, since the last restart. */
  readonly stages_done: number;
  readonly retries: number;
  readonly restarts: number;
  /** One entry for each node, the latest failure last. */
  readonly failures: readonly FailureOverview[];
  /** Quality so far, if the run has not ended (SEMANTICS 99). */
  readonly quality: Quality;
  readonly child_runs: readonly ChildOverview[];
  /** Model usage of all stages, those of child runs included. */
  readonly usage: Usage;
  /** Model usage by node, for nodes with any. */
  readonly usage_by_stage: Readonly<Record<string, Usage>>;
  /** Models that were used without a price; their cost is in no sum. */
  readonly unpriced_models: readonly string[];
  /** Budgets of the run, and those of stages that are mostly used (SEMANTICS §12). */
  readonly budgets: readonly BudgetOverview[];
  /** Number of the last event of the journal. */
  readonly seq: number;
  readonly last_event_time: string | null;
  /** Current directory of the stages' files. */
  readonly stage_directory: string;
}

/**
 * Reads the overview of a run without disturbing it, in one pass over its journal, which is exact even if
 * the checkpoint is older.
 * @param now milliseconds since 1970
 * @throws RunError `run_not_found`, `run_damaged` or `storage`
 */
export function overviewOf(directory: string, now: number): RunOverview {
  return lookAtRun(directory, now).overview;
}

/**
 * Reads the overview of a run, and the view that it is made of.
 * @param scope of that view
 */
export function lookAtRun(
  directory: string,
  now: number,
  scope?: ViewScope,
): { readonly overview: RunOverview; readonly view: RunView } {
  const manifest = readManifest(directory);
  // Read first: events that a process writes in between are then still its own.
  const owner = runOwner(directory);
  const view = readView(directory, scope);
  return { overview: overviewFrom({ directory, manifest, owner, view }, now), view };
}

/** Facts about a run, from any source. */
export interface OverviewSource {
  readonly directory: string;
  readonly manifest: Pick<
    Manifest,
    'run_id' | 'name' | 'goal' | 'start_time' | 'git' | 'forked_from' | 'options'
  >;
  /** View of the whole journal so far. */
  readonly view: RunView;
  /** Process that executes it. */
  readonly owner: RunOwner | undefined;
  /** Returns true if a request to the run is not yet fulfilled; by default the run directory is read. */
  readonly isRequested?: (kind: 'pause' | 'cancel') => boolean;
}

/** Overview from a journal that is folded already, as by the process that executes the run. */
export function overviewFrom(source: OverviewSource, now: number): RunOverview {
  const { directory, manifest, view, owner } = source;
  const status = overviewStatus(view, owner);
  const hasEnded = isOver(status);
  const startTime = view.startedAt ?? manifest.start_time;
  // The clock of the machine may have been set back since.
  const present = Math.max(now, Date.parse(view.lastEventTime ?? startTime));
  const endTime = hasEnded ? (view.endedAt ?? null) : null;
  return {
    run_id: manifest.run_id,
    run_dir: path.resolve(directory),
    name: manifest.name,
    goal: manifest.goal,
    status,
    process: executingProcess(owner),
    requested: requestedOf(source, status),
    git: gitOf(manifest, directory),
    forked_from: manifest.forked_from ?? null,
    simulated: manifest.options.simulate,
    simulated_stages: [...view.simulated],
    scripted_nodes: scriptedNodes(manifest),
    start_time: startTime,
    end_time: endTime,
    duration_ms: (endTime === null ? present : Date.parse(endTime)) - Date.parse(startTime),
    paused_reason: status === 'paused' ? (view.pausedReason ?? null) : null,
    failure_reason: view.failure?.reason ?? null,
    failed_node: view.failure?.node_id ?? null,
    stages: activeStages(view, owner?.cluster && readStageWorkers(directory)),
    parallels: activeParallels(view),
    // A run that continues after its end asks again.
    questions: hasEnded ? [] : openQuestions(view),
    last_stage: view.lastSettled ?? null,
    stages_done: stepsOf(view),
    retries: view.retries,
    restarts: view.restarts,
    failures: countedFailures(view.failures),
    quality: qualityOf(view),
    child_runs: childOverviews(directory, view),
    usage: view.usage.total,
    usage_by_stage: Object.fromEntries([...view.usage.byNode].map(([id, { usage }]) => [id, usage])),
    unpriced_models: [...view.usage.unpriced.keys()].sort(),
    budgets: budgetsOf(view.usage),
    seq: view.seq,
    last_event_time: view.lastEventTime ?? null,
    stage_directory: path.resolve(directory, view.stageDirectory),
  };
}

function executingProcess(owner: RunOwner | undefined): ExecutingProcess | null {
  if (owner === undefined || owner.cluster?.worker === null) return null;
  const { pid, since, elsewhere, cluster } = owner;
  return {
    pid,
    since: new Date(cluster?.since ?? since).toISOString(),
    host: elsewhere?.host ?? null,
    worker: cluster?.worker ?? null,
  };
}

function gitOf({ git, run_id: runId }: OverviewSource['manifest'], directory: string): RunOverview['git'] {
  if (git === undefined) return null;
  return {
    branch: branchOfRun(runId),
    directory: path.join(path.resolve(directory), runFiles.workTree),
    remote: git.remote ?? null,
  };
}

function scriptedNodes({ options: { script } }: OverviewSource['manifest']): readonly string[] {
  return script === undefined ? [] : [...readScript(script, runFiles.manifest).nodes.keys()];
}

/**
 * Status of a run. A process that took it after the last event, and has not written one yet, is about to
 * continue.
 */
export function overviewStatus(
  { status, lastEventTime }: RunView,
  owner: RunOwner | undefined,
): OverviewStatus {
  if (owner === undefined) return status === 'created' || status === 'running' ? 'interrupted' : status;
  if (owner.cluster !== undefined) return owner.cluster.worker === null ? 'queued' : 'running';
  if (status === 'created' || lastEventTime === undefined) return 'running';
  return owner.since > Date.parse(lastEventTime) ? 'running' : status;
}

function requestedOf(
  { directory, view: { pausing }, isRequested }: OverviewSource,
  status: OverviewStatus,
): RunOverview['requested'] {
  if (status !== 'running' && status !== 'queued') return null;
  const isAsked = isRequested ?? ((kind: 'pause' | 'cancel') => isRequestPending(directory, kind));
  if (isAsked('cancel')) return 'cancel';
  return pausing !== undefined || isAsked('pause') ? 'pause' : null;
}

/** Stages that were simulated although no script names them. */
export function simulatedUnscripted({
  simulated_stages: simulated,
  scripted_nodes: scripted,
}: Pick<RunOverview, 'simulated_stages' | 'scripted_nodes'>): readonly string[] {
  return simulated.filter((id) => !scripted.includes(id));
}
