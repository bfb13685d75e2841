import type { BudgetLimit, StageBudgets } from '../graph/budget-limit.js';
import type { ProgramLimits } from '../graph/program.js';
import { countsMoney, describeUsedUpBudget, isUnpriced, runBudgets, stageBudgets } from './budget.js';
import { type Budget, dueBudgetEvents } from './budget-reports.js';
import type { PipelineStarted } from './event.js';
import { pause } from './pause.js';
import type { ModelUse } from './progress.js';
import { branchOf, type Cursor } from './state.js';
import type { Transition } from './transition.js';
import { amountOf, type Usage } from './usage.js';

/**
 * Reports the state of the budgets after a stage has used more; a used-up one pauses the run (SEMANTICS
 * §12).
 */
export function watchBudgets(transition: Transition, cursorId: string): void {
  for (const budget of runBudgets(transition.state)) tell(transition, budget, cursorId);
  const cursor = transition.cursor(cursorId);
  for (const budget of stageBudgets(transition.program, transition.state, cursor))
    tell(transition, budget, cursorId);
}

function tell(transition: Transition, budget: Budget, cursorId: string): void {
  const cursor = transition.cursor(cursorId);
  const holder = budget.scope === 'run' ? transition.state : cursor;
  const usage = budget.scope === 'run' ? transition.state.totalUsage : cursor.visitUsage;
  const place = { node_id: cursor.nodeId, branch: branchOf(cursorId) };
  if (!emitNews(transition, budget, usage, holder, place)) return;
  const used = amountOf(budget.unit, usage);
  const reason = describeUsedUpBudget(budget, used, cursor.nodeId);
  // Running stages may end; further requests of theirs are refused.
  pause(transition, { reason, mode: 'after_stage' });
}

/** @returns true if the budget turned out to be used up */
function emitNews(
  transition: Transition,
  budget: Budget,
  usage: Usage,
  { reportedBudgets }: Pick<Cursor, 'reportedBudgets'>,
  place: { readonly node_id?: string; readonly branch?: string },
): boolean {
  const news = dueBudgetEvents(budget, usage, reportedBudgets);
  for (const type of news) transition.emit({ type, ...budget, used: amountOf(budget.unit, usage), ...place });
  return news.includes('BudgetExceeded');
}

/**
 * Reports the budgets of the run when it is resumed, in case the process ended before it could. The run
 * does not pause for it: stages that spend nothing continue, and the first that would spend is refused.
 */
export function reportRunBudgets(transition: Transition): void {
  const { state } = transition;
  for (const budget of runBudgets(state)) emitNews(transition, budget, state.totalUsage, state, {});
}

/** Warns once of each model whose cost cannot be counted. Call it before its use is recorded. */
export function warnOfUnpriced(transition: Transition, cursor: Cursor, { model, usage }: ModelUse): void {
  const { program, state } = transition;
  if (!isUnpriced(usage) || state.unpricedModels.has(model)) return;
  if (!countsMoney(program, state, cursor)) return;
  const which = model === '' ? 'the model that it uses, which is unknown' : `the model "${model}"`;
  const message = `no price is known for ${which}: \`budget_usd\` does not limit what "${cursor.nodeId}" uses of it. Add it to \`prices\` in the configuration (0 for one that costs nothing), or limit tokens (\`budget_tokens\`)`;
  transition.log('warning', message, cursor.nodeId);
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
