import type { BudgetLimit } from '../../graph/budget-limit.js';
import { checkBound } from '../runs/check-resumption.js';
import type { ServerBounds } from '../server-options.js';
import type { ClusterParts } from './cluster-parts.js';

/** A budget within that which the server allows. */
export function boundedAmount(amount: BudgetLimit, { budgetUsd: bound }: ServerBounds): BudgetLimit {
  if (bound === undefined) return amount;
  return amount === 'none' ? bound : Math.min(amount, bound);
}

/**
 * The budget with which a run continues, within the bound of the server: a run that was submitted elsewhere may have more.
 * @param asked budget of the request
 * @returns undefined where the one in force stays
 * @throws RunError `usage` for a run that has used what the server allows
 */
export function budgetWithin(
  parts: ClusterParts,
  id: string,
  asked: BudgetLimit | undefined,
): BudgetLimit | undefined {
  const { bounds } = parts.environment.options;
  if (bounds.budgetUsd === undefined) return asked;
  const { limits, total } = parts.mirrors.of(id).run.history.view.usage;
  const amount = asked ?? limits.get('usd');
  // No budget is in force where no stage may cost anything.
  if (amount === undefined) return undefined;
  checkBound(total, bounds);
  const bounded = boundedAmount(amount, bounds);
  return bounded === amount ? asked : bounded;
}
