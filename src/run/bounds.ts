import type { Program } from '../graph/program.js';
import { isReached } from '../machine/budget-reports.js';
import type { RunState } from '../machine/state.js';
import { amountOf, describeAmount, noUsage, type Usage } from '../machine/usage.js';
import type { BudgetAbove } from './driver/budget-above.js';
import type { RunBounds } from './run-options.js';

/**
 * The limit of steps that a call sets: that which it asks for, or the bound where the run could make more.
 * @returns undefined where the limit in force stays
 */
export function boundedSteps(
  asked: number | undefined,
  { limits }: Program,
  { maxSteps: before }: RunState,
  { maxSteps: bound = Number.POSITIVE_INFINITY }: Partial<RunBounds> = {},
): number | undefined {
  return (asked ?? before ?? limits.maxSteps) > bound ? bound : asked;
}

/** The budget that a bound leaves a run, as a run above would: it holds over all budgets of the run. */
export function boundedBudget({ budgetUsd: limit, setBy }: RunBounds): BudgetAbove | undefined {
  if (limit === undefined) return undefined;
  let total = (): Usage => noUsage;
  return {
    isBound: true,
    spent() {
      const used = amountOf('usd', total());
      if (!isReached(used, limit)) return undefined;
      const amounts = `${describeAmount('usd', used)} of the ${describeAmount('usd', limit)}`;
      return `the run has used ${amounts} that \`${setBy} --budget-usd\` allows a run; to continue, raise the limit and resume the run`;
    },
    watch(given) {
      total = given;
    },
  };
}
