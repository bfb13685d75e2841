import { amountAllowed, type StageBudgets } from '../graph/budget-limit.js';
import type { Program } from '../graph/program.js';
import { type Budget, isReached } from './budget-reports.js';
import type { Cursor, RunState } from './state.js';
import { amountOf, describeAmount, tokensOf, type Usage, type UsageUnit } from './usage.js';

/** Usage of a stage that the state does not include yet. */
export interface Expense {
  /** Id of the stage's cursor. */
  readonly cursor: string;
  readonly usage: Usage;
}

/**
 * Reason why a stage may spend nothing more (SEMANTICS §12), for people; undefined as long as it may.
 * @param expenses that the state does not include yet
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
    if (isReached(used, budget.limit)) return describeUsedUpBudget(budget, used, nodeId);
  }
  if (cursor === undefined) return undefined;
  for (const budget of stageBudgets(program, state, cursor)) {
    const used = usedOf(budget, cursor.visitUsage, ofStage);
    if (isReached(used, budget.limit)) return describeUsedUpBudget(budget, used, nodeId);
  }
  return undefined;
}

/** Budgets of the whole run. */
export function runBudgets({ budgetUsd, budgetTokens }: RunState): readonly Budget[] {
  return budgetsOf('run', amountAllowed(budgetUsd), budgetTokens);
}

/** Budgets of the visit of a cursor: those that a call has set, else those of the pipeline (SEMANTICS 126). */
export function stageBudgets(
  { nodes }: Program,
  { stageBudgets: given }: RunState,
  { nodeId }: Pick<Cursor, 'nodeId'>,
): readonly Budget[] {
  const node = nodes.get(nodeId);
  const { usd = node?.budgetUsd, tokens = node?.budgetTokens } = given.get(nodeId) ?? {};
  return budgetsOf('stage', amountAllowed(usd), tokens);
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

/** Message about a used-up budget, and the way to continue. */
export function describeUsedUpBudget({ scope, unit, limit }: Budget, used: number, nodeId: string): string {
  const amounts = `${describeAmount(unit, used)} of the ${describeAmount(unit, limit)}`;
  const attribute = `budget_${unit}`;
  if (scope === 'run')
    return `the run has used ${amounts} allowed by its budget (\`${attribute}\`); to continue, resume it with a larger --budget-${unit}`;
  return `"${nodeId}" has used ${amounts} allowed per visit (its \`${attribute}\`); to continue this visit, resume the run with a larger --stage-budget`;
}

/** Stage that has used up its own budget, which a larger budget of the run does not raise. */
export interface StoppedStage {
  readonly nodeId: string;
  readonly unit: UsageUnit;
  readonly limit: number;
  /** Usage of its visit. */
  readonly used: number;
}

/** Stages of a paused run that have used up their own budgets, as their events say. */
export function stoppedStages({ status, cursors }: RunState): readonly StoppedStage[] {
  if (status !== 'paused') return [];
  return [...cursors.values()].filter(isAtWork).flatMap(({ nodeId, visitUsage, reportedBudgets }) =>
    Object.entries(reportedBudgets).flatMap(([unit, { limit, isExceeded }]) => {
      const used = amountOf(unit as UsageUnit, visitUsage);
      return isExceeded && isReached(used, limit) ? [{ nodeId, unit: unit as UsageUnit, limit, used }] : [];
    }),
  );
}

/**
 * First stage that a run could not continue because it has used up its own budget, in a run whose budget is
 * raised and not used up.
 * @param raised budgets of stages that the same call raises
 */
export function stageOverItsBudget(
  program: Program,
  state: RunState,
  unit: UsageUnit,
  raised: StageBudgets = {},
): StoppedStage | undefined {
  const isOf = (budget: Budget): boolean => budget.unit === unit;
  const ofRun = runBudgets(state).find(isOf);
  if (ofRun !== undefined && isReached(amountOf(unit, state.totalUsage), ofRun.limit)) return undefined;
  for (const cursor of state.cursors.values()) {
    const { nodeId } = cursor;
    const budget = stageBudgets(program, state, cursor).find(isOf);
    if (budget === undefined || !isAtWork(cursor)) continue;
    if (Object.hasOwn(raised, nodeId) && raised[nodeId]?.[unit] !== undefined) continue;
    const used = amountOf(unit, cursor.visitUsage);
    if (isReached(used, budget.limit)) return { nodeId, unit, limit: budget.limit, used };
  }
  return undefined;
}

/** True if its attempt starts over when the run continues. */
export function isAtWork({ phase }: Cursor): boolean {
  return phase === 'suspended' || phase === 'running' || phase === 'interrupted';
}

/** True if a budget of the run or of the node applies to the visit of a cursor. */
export function isBudgeted(program: Program, state: RunState, cursor: Cursor): boolean {
  return runBudgets(state).length > 0 || stageBudgets(program, state, cursor).length > 0;
}

/** True if a budget in US dollars applies to a stage, so that the price of its models matters. */
export function countsMoney(program: Program, state: RunState, stage: Pick<Cursor, 'nodeId'>): boolean {
  const budgets = [...runBudgets(state), ...stageBudgets(program, state, stage)];
  return budgets.some(({ unit }) => unit === 'usd');
}

/**
 * True for a use that is not a request, but the cost of earlier ones of the attempt, as reported by the
 * agent.
 */
export function pricesEarlier({ requests, cost_usd: cost }: Usage): boolean {
  return requests === 0 && cost !== undefined;
}

/** True for a use of tokens without a price. */
export function isUnpriced(usage: Usage): boolean {
  return usage.cost_usd === undefined && tokensOf(usage) > 0;
}
