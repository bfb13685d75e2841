import path from 'node:path';
import type { Usage } from '../machine/usage.js';
import { type Manifest, readManifest } from '../run-directory/manifest.js';
import { runFiles } from '../run-directory/run-files.js';
import { isRequestPending, type RunOwner, runOwner } from '../run-directory/run-requests.js';
import { readScript } from '../run-directory/simulation-script.js';
import { branchOfRun } from '../workspaces/git/branch-names.js';
import type { ActiveParallel, ActiveStage, FailureOverview, OpenQuestion } from './active-stage.js';
import { activeParallels, activeStages, openQuestions } from './active-stages.js';
import { budgetsOf } from './budgets.js';
import { type ChildOverview, childOverviews } from './child-overview.js';
import type { BudgetOverview, RunView, ViewScope } from './fold/run-view.js';
import { readView } from './read-view.js';
import { isOver, type OverviewStatus, type Quality, qualityOf, stepsOf } from './run-status.js';

/** What a run is doing, as `status --json` prints it: read from outside, whatever process executes it. */
export interface RunOverview {
  readonly run_id: string;
  readonly run_dir: string;
  readonly name: string;
  readonly goal: string;
  readonly status: OverviewStatus;
  /** Who executes it, and since when (ISO 8601). */
  readonly process: { readonly pid: number; readonly since: string } | null;
  /** What was asked of the run from outside, as long as it has not come to it. */
  readonly requested: 'pause' | 'cancel' | null;
  /** Of a run with git: the branch that its stages are committed on, and the directory in which they work. */
  readonly git: { readonly branch: string; readonly directory: string } | null;
  /** The run whose history this one shares, and its last event that both have. */
  readonly forked_from: { readonly run_id: string; readonly seq: number } | null;
  /** Every stage that is not scripted only pretends to do its work. */
  readonly simulated: boolean;
  /** The stages whose latest outcome was only simulated or scripted, or that ran a pipeline with such stages. */
  readonly simulated_stages: readonly string[];
  /** The nodes whose work a script does. */
  readonly scripted_nodes: readonly string[];
  readonly start_time: string;
  readonly end_time: string | null;
  /** Milliseconds from start to end, or until now. */
  readonly duration_ms: number;
  readonly paused_reason: string | null;
  readonly failure_reason: string | null;
  readonly failed_node: string | null;
  /** Under way; of a run that nobody executes: what runs again when it is resumed. */
  readonly stages: readonly ActiveStage[];
  readonly parallels: readonly ActiveParallel[];
  readonly questions: readonly OpenQuestion[];
  /** The stage that has settled last. */
  readonly last_stage: string | null;
  /** Visits that have settled, without start and exit, since the last restart. */
  readonly stages_done: number;
  readonly retries: number;
  readonly restarts: number;
  /** One entry a node, the latest failure last. */
  readonly failures: readonly FailureOverview[];
  /** So far, where the run has not ended (SEMANTICS 99). */
  readonly quality: Quality;
  readonly child_runs: readonly ChildOverview[];
  /** What all stages have used of models, those of child runs included. */
  readonly usage: Usage;
  /** The same by node, of those that have used any. */
  readonly usage_by_stage: Readonly<Record<string, Usage>>;
  /** Models that were used without a price for them; their cost is in no sum. */
  readonly unpriced_models: readonly string[];
  /** The budgets of the run, and those of stages of which most is used (SEMANTICS §12). */
  readonly budgets: readonly BudgetOverview[];
  /** The last event of the journal. */
  readonly seq: number;
  readonly last_event_time: string | null;
  /** Where the stages keep their files now. */
  readonly stage_directory: string;
}

/**
 * Looks at a run without disturbing it, in one pass over its journal: what that says is exact, whatever the checkpoint
 * knows.
 * @param now milliseconds since 1970
 * @throws RunError `run_not_found`, `run_damaged` or `storage`
 */
export function overviewOf(directory: string, now: number): RunOverview {
  return lookAtRun(directory, now).overview;
}

/** The same, and the view that it is made of. @param scope of that */
export function lookAtRun(
  directory: string,
  now: number,
  scope?: ViewScope,
): { readonly overview: RunOverview; readonly view: RunView } {
  const manifest = readManifest(directory);
  // Asked for first: what a process writes between the two looks is then still its own.
  const owner = runOwner(directory);
  const view = readView(directory, scope);
  return { overview: overviewFrom({ directory, manifest, owner, view }, now), view };
}

/** What is known of a run, from whatever source. */
export interface OverviewSource {
  readonly directory: string;
  readonly manifest: Pick<
    Manifest,
    'run_id' | 'name' | 'goal' | 'start_time' | 'git' | 'forked_from' | 'options'
  >;
  /** Of the whole journal so far. */
  readonly view: RunView;
  /** Who executes it. */
  readonly owner: RunOwner | undefined;
  /** Whether it was asked for something that it has not come to; by default the run directory is looked at. */
  readonly isRequested?: (kind: 'pause' | 'cancel') => boolean;
}

/** The same from a journal that is folded already, as by the process that executes the run. */
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
    process: owner === undefined ? null : { pid: owner.pid, since: new Date(owner.since).toISOString() },
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
    stages: activeStages(view),
    parallels: activeParallels(view),
    // A run that continues after its end asks again.
    questions: hasEnded ? [] : openQuestions(view),
    last_stage: view.lastSettled ?? null,
    stages_done: stepsOf(view),
    retries: view.retries,
    restarts: view.restarts,
    failures: [...view.failures.values()],
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

function gitOf({ git, run_id: runId }: OverviewSource['manifest'], directory: string): RunOverview['git'] {
  if (git === undefined) return null;
  return { branch: branchOfRun(runId), directory: path.join(path.resolve(directory), runFiles.workTree) };
}

function scriptedNodes({ options: { script } }: OverviewSource['manifest']): readonly string[] {
  return script === undefined ? [] : [...readScript(script, runFiles.manifest).nodes.keys()];
}

/** A process that took the run after the last event has not come to write one: it is about to continue. */
export function overviewStatus(
  { status, lastEventTime }: RunView,
  owner: RunOwner | undefined,
): OverviewStatus {
  if (owner === undefined) return status === 'created' || status === 'running' ? 'interrupted' : status;
  if (status === 'created' || lastEventTime === undefined) return 'running';
  return owner.since > Date.parse(lastEventTime) ? 'running' : status;
}

function requestedOf(
  { directory, view: { pausing }, isRequested }: OverviewSource,
  status: OverviewStatus,
): RunOverview['requested'] {
  if (status !== 'running') return null;
  const isAsked = isRequested ?? ((kind: 'pause' | 'cancel') => isRequestPending(directory, kind));
  if (isAsked('cancel')) return 'cancel';
  return pausing !== undefined || isAsked('pause') ? 'pause' : null;
}

/** The stages that pretended although no script names them. */
export function simulatedUnscripted({
  simulated_stages: simulated,
  scripted_nodes: scripted,
}: Pick<RunOverview, 'simulated_stages' | 'scripted_nodes'>): readonly string[] {
  return simulated.filter((id) => !scripted.includes(id));
}
