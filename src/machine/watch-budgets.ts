import type { BudgetLimit, StageBudgets } from '../graph/budget-limit.js';
import type { ProgramLimits } from '../graph/program.js';
import {
  countsMoney,
  describeUsedUpBudget,
  isAtWork,
  isUnpriced,
  runBudgets,
  stageBudgets,
} from './budget.js';
import { type Budget, dueBudgetEvents } from './budget-reports.js';
import type { PipelineStarted } from './event.js';
import { pause } from './pause.js';
import type { ModelUse } from './progress.js';
import { branchOf, type Cursor } from './state.js';
import type { Transition } from './transition.js';
import { amountOf, type Usage } from './usage.js';

/** Stage in which models were used. */
interface Place {
  readonly node_id: string;
  readonly branch: string | undefined;
}

/**
 * Reports the state of the budgets after a stage has used more; a used-up one pauses the run (SEMANTICS
 * §12).
 */
export function watchBudgets(transition: Transition, cursorId: string): void {
  const place = placeOf(transition.cursor(cursorId));
  watchRunBudgets(transition, place);
  for (const budget of stageBudgets(transition.program, transition.state, transition.cursor(cursorId))) {
    const cursor = transition.cursor(cursorId);
    if (emitNews(transition, budget, cursor.visitUsage, cursor, place))
      pauseAt(transition, budget, cursor.visitUsage, place);
  }
}

/** The same for the budgets of the run alone: the stage may be gone. */
export function watchRunBudgets(transition: Transition, place: Place): void {
  for (const budget of runBudgets(transition.state)) {
    const { state } = transition;
    if (emitNews(transition, budget, state.totalUsage, state, place))
      pauseAt(transition, budget, state.totalUsage, place);
  }
}

function placeOf({ id, nodeId }: Cursor): Place {
  return { node_id: nodeId, branch: branchOf(id) };
}

/** Running stages may end; further requests of theirs are refused. */
function pauseAt(transition: Transition, budget: Budget, usage: Usage, { node_id: nodeId }: Place): void {
  const reason = describeUsedUpBudget(budget, amountOf(budget.unit, usage), nodeId);
  pause(transition, { reason, mode: 'after_stage' });
}

/** @returns true if the budget turned out to be used up */
function emitNews(
  transition: Transition,
  budget: Budget,
  usage: Usage,
  { reportedBudgets }: Pick<Cursor, 'reportedBudgets'>,
  place: Partial<Place>,
): boolean {
  const news = dueBudgetEvents(budget, usage, reportedBudgets);
  for (const type of news) transition.emit({ type, ...budget, used: amountOf(budget.unit, usage), ...place });
  return news.includes('BudgetExceeded');
}

/**
 * Reports the budgets when the run is resumed, in case the process ended before it could, or a stage that was stopped had used
 * more. The run does not pause for it: stages that spend nothing continue, and the first that would spend is refused.
 */
export function reportBudgets(transition: Transition): void {
  for (const budget of runBudgets(transition.state))
    emitNews(transition, budget, transition.state.totalUsage, transition.state, {});
  for (const cursor of [...transition.state.cursors.values()].filter(isAtWork))
    for (const budget of stageBudgets(transition.program, transition.state, cursor))
      emitNews(transition, budget, cursor.visitUsage, transition.cursor(cursor.id), placeOf(cursor));
}

/** Warns once of each model whose cost cannot be counted. Call it before its use is recorded. */
export function warnOfUnpriced(transition: Transition, nodeId: string, { model, usage }: ModelUse): void {
  if (!isUnpriced(usage) || transition.state.unpricedModels.has(model)) return;
  tellUnpriced(transition, nodeId, model);
}

/** Warns again of the models of stages that continue: the first use may have come when the run had paused. */
export function warnOfUnpricedAgain(transition: Transition): void {
  const cursors = [...transition.state.cursors.values()].filter(isAtWork);
  const models = new Map(cursors.flatMap(({ nodeId, unpriced }) => unpriced.map((model) => [model, nodeId])));
  for (const [model, nodeId] of models) tellUnpriced(transition, nodeId, model);
}

function tellUnpriced(transition: Transition, nodeId: string, model: string): void {
  if (!countsMoney(transition.program, transition.state, { nodeId })) return;
  const which = model === '' ? 'the model that it uses, which is unknown' : `the model "${model}"`;
  const message = `no price is known for ${which}: \`budget_usd\` does not limit what "${nodeId}" uses of it. Add it to \`prices\` in the configuration (0 for one that costs nothing), or limit tokens (\`budget_tokens\`)`;
  transition.log('warning', message, nodeId);
}

/** Budgets that a call gives. */
export interface GivenBudgets {
  readonly budgetUsd?: BudgetLimit;
  readonly budgetTokens?: number;
  readonly stageBudgets?: StageBudgets;
}

/** Budgets with which a run begins: those of the call, else those of the pipeline (SEMANTICS 126). */
export function startingBudgets(
  { budgetUsd, budgetTokens, stageBudgets: ofStages }: GivenBudgets,
  limits: Pick<ProgramLimits, 'budgetUsd' | 'budgetTokens'>,
): Pick<PipelineStarted, 'budget_usd' | 'budget_tokens' | 'stage_budgets'> {
  return {
    budget_usd: budgetUsd ?? limits.budgetUsd,
    budget_tokens: budgetTokens ?? limits.budgetTokens,
    stage_budgets: ofStages,
  };
}
