import type { Program } from '../graph/program.js';
import { type Budget, isReached } from './budget-news.js';
import { describeAmount } from './describe-amount.js';
import type { Cursor, RunState } from './state.js';
import { amountOf, tokensOf, type Usage } from './usage.js';

/** What a stage has used that the state does not know of yet. */
export interface Expense {
  /** Of the stage. */
  readonly cursor: string;
  readonly usage: Usage;
}

/**
 * Why a stage may spend nothing more (SEMANTICS §12), for people; undefined as long as it may.
 * @param expenses which the state does not know of yet
 */
export function spentBudget(
  program: Program,
  state: RunState,
  cursorId: string,
  expenses: readonly Expense[] = [],
): string | undefined {
  const cursor = state.cursors.get(cursorId);
  const nodeId = cursor?.nodeId ?? '';
  const ofStage = expenses.filter(({ cursor: id }) => id === cursorId);
  for (const budget of runBudgets(state)) {
    const used = usedOf(budget, state.totalUsage, expenses);
    if (isReached(used, budget.limit)) return whyNothingMore(budget, used, state.runId, nodeId);
  }
  if (cursor === undefined) return undefined;
  for (const budget of stageBudgets(program, cursor)) {
    const used = usedOf(budget, cursor.visitUsage, ofStage);
    if (isReached(used, budget.limit)) return whyNothingMore(budget, used, state.runId, nodeId);
  }
  return undefined;
}

/** The budgets of the whole run. */
export function runBudgets({ budgetUsd, budgetTokens }: RunState): readonly Budget[] {
  return budgetsOf('run', budgetUsd, budgetTokens);
}

/** The budgets of the visit that a cursor is at. */
export function stageBudgets({ nodes }: Program, { nodeId }: Cursor): readonly Budget[] {
  const node = nodes.get(nodeId);
  return budgetsOf('stage', node?.budgetUsd, node?.budgetTokens);
}

function budgetsOf(
  scope: Budget['scope'],
  usd: number | undefined,
  tokens: number | undefined,
): readonly Budget[] {
  const budgets: Budget[] = [];
  if (usd !== undefined) budgets.push({ scope, unit: 'usd', limit: usd });
  if (tokens !== undefined) budgets.push({ scope, unit: 'tokens', limit: tokens });
  return budgets;
}

function usedOf({ unit }: Budget, known: Usage, expenses: readonly Expense[]): number {
  return expenses.reduce((sum, { usage }) => sum + amountOf(unit, usage), amountOf(unit, known));
}

/** What was used of which budget, and how to go on. */
export function whyNothingMore(
  { scope, unit, limit }: Budget,
  used: number,
  runId: string,
  nodeId: string,
): string {
  const amounts = `${describeAmount(unit, used)} of the ${describeAmount(unit, limit)}`;
  const attribute = `budget_${unit}`;
  if (scope === 'run')
    return `the run has used ${amounts} that its budget (\`${attribute}\`) allows; to go on, raise it: attractor resume ${runId} --budget-${unit} N`;
  return `"${nodeId}" has used ${amounts} that one visit of it may use (its \`${attribute}\`); resuming the run gives it as much again`;
}

/** Whether money is counted for a stage, so that a model without a price cannot be counted. */
export function countsMoney(program: Program, state: RunState, cursor: Cursor): boolean {
  const budgets = [...runBudgets(state), ...stageBudgets(program, cursor)];
  return budgets.some(({ unit }) => unit === 'usd');
}

/** Whether a use has something that would cost money, and no price. */
export function isUnpriced(usage: Usage): boolean {
  return usage.cost_usd === undefined && tokensOf(usage) > 0;
}
