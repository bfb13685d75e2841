import type { JsonValue } from '../graph/json.js';
import { runBudgets, stoppedStages } from '../machine/budget.js';
import { countedFailures } from '../machine/categorize-failure.js';
import type { Cursor, RunFailure, RunState } from '../machine/state.js';
import { mainCursor } from '../machine/state.js';
import { amountOf, type Usage, type UsageUnit } from '../machine/usage.js';
import { sortedEntries } from '../run-directory/checkpoint.js';
import { branchOfRun } from '../workspaces/git/branch-names.js';
import type { FailureOverview } from './active-stage.js';
import { type Quality, qualityOf, stepsOf } from './run-status.js';

/** Result of a run, as `run --json` prints it and `result.json` keeps it (DESIGN §5). */
export interface RunResult {
  readonly run_id: string;
  readonly run_dir: string;
  readonly status: 'success' | 'fail' | 'paused' | 'cancelled';
  readonly quality: Quality;
  readonly failure_reason?: string;
  readonly failed_node?: string;
  /** Ids of the stages whose latest outcome is a failure. */
  readonly failed_stages: readonly string[];
  /** Retries of all stages together. */
  readonly retries: number;
  /** Failures by stage, the latest failure last: also those from which the stage has recovered (SEMANTICS 114). */
  readonly failures: readonly FailureOverview[];
  /** Ids of the stages whose latest outcome was only simulated or scripted, or that ran a pipeline with such stages. */
  readonly simulated_stages: readonly string[];
  /** Reason of a pause; `waiting_node` has the stage whose question is open. */
  readonly paused_reason?: string;
  readonly waiting_node?: string;
  /** Node ids in the order executed, one entry for each visit (SEMANTICS 88). */
  readonly path: readonly string[];
  readonly completed_nodes: readonly string[];
  /** Stages that have settled since the last restart, without start and exit. */
  readonly steps: number;
  readonly visits: Readonly<Record<string, number>>;
  readonly context: Readonly<Record<string, JsonValue>>;
  /** Model usage of all stages, those of child runs included. */
  readonly usage: Usage;
  /** Model usage by node, for nodes with any. */
  readonly usage_by_stage: Readonly<Record<string, Usage>>;
  /** Models that were used without a price; their cost is in no sum. */
  readonly unpriced_models?: readonly string[];
  /** Budgets of the run, and those of stages that stop it, with the used amounts (SEMANTICS §12, 126). */
  readonly budgets?: readonly UsedBudget[];
  /** Branch on which the stages of a run with git are committed, and the last commit. */
  readonly git?: { readonly branch: string; readonly commit: string };
  readonly duration_ms: number;
}

/** Budget with the used amount. */
export interface UsedBudget {
  readonly unit: UsageUnit;
  readonly limit: number;
  readonly used: number;
  /** Stage whose visit has used it up; missing for that of the run. */
  readonly node_id?: string;
}

/** @param now milliseconds since 1970, for a run that has not ended */
export function resultOf(state: RunState, directory: string, now: number): RunResult {
  const cursor = state.cursors.get(mainCursor);
  const waiting = state.status === 'paused' ? waitingNode(state) : undefined;
  return {
    run_id: state.runId,
    run_dir: directory,
    status: resultStatus(state),
    quality: qualityOf(state),
    ...failureFields(state.failure),
    failed_stages: [...state.statuses].filter(([, status]) => status === 'fail').map(([id]) => id),
    ...failuresOf(state),
    simulated_stages: [...state.simulated].filter(([, isSimulated]) => isSimulated).map(([id]) => id),
    paused_reason: state.pausedReason,
    waiting_node: waiting,
    path: state.path.toArray(),
    completed_nodes: state.completed.toArray(),
    steps: stepsOf({ completed: state.completed.size, restarts: state.restarts }),
    visits: Object.fromEntries(sortedEntries(state.visits)),
    context: cursor === undefined ? {} : Object.fromEntries(sortedEntries(cursor.context)),
    ...usageFields(state),
    git: cursor?.files && { branch: branchOfRun(state.runId), commit: cursor.files.commit },
    duration_ms: (state.endedAt ?? now) - state.startedAt,
  };
}

function failuresOf({ failures: byNode }: RunState): Pick<RunResult, 'retries' | 'failures'> {
  const failures = countedFailures(byNode).toSorted(
    (one, other) => Date.parse(one.at) - Date.parse(other.at),
  );
  return { retries: failures.reduce((sum, { retries }) => sum + retries, 0), failures };
}

function usageFields(
  state: RunState,
): Pick<RunResult, 'usage' | 'usage_by_stage' | 'unpriced_models' | 'budgets'> {
  const unpriced = [...state.unpricedModels].filter(([, attempts]) => attempts > 0).map(([model]) => model);
  const ofRun = runBudgets(state).map(({ unit, limit }): UsedBudget => {
    return { unit, limit, used: amountOf(unit, state.totalUsage) };
  });
  const ofStages = stoppedStages(state).map(({ nodeId, unit, limit, used }): UsedBudget => {
    return { unit, limit, used, node_id: nodeId };
  });
  const budgets = [...ofRun, ...ofStages];
  return {
    usage: state.totalUsage,
    usage_by_stage: Object.fromEntries(sortedEntries(state.usage)),
    unpriced_models: unpriced.length > 0 ? unpriced.sort() : undefined,
    budgets: budgets.length > 0 ? budgets : undefined,
  };
}

/** Stage with the oldest open question, in a branch too. */
function waitingNode({ cursors }: RunState): string | undefined {
  let first: Cursor['question'];
  for (const { question } of cursors.values()) {
    if (question !== undefined && (first === undefined || question.askedAt < first.askedAt)) first = question;
  }
  return first?.question.stage;
}

function resultStatus(state: RunState): RunResult['status'] {
  const { status } = state;
  if (status === 'created' || status === 'running') throw new Error('the run has no result yet');
  return status;
}

function failureFields(failure: RunFailure | undefined): Pick<RunResult, 'failure_reason' | 'failed_node'> {
  return failure === undefined ? {} : { failure_reason: failure.reason, failed_node: failure.nodeId };
}
