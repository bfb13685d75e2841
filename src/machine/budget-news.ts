import { amountOf, type Usage, type UsageUnit } from './usage.js';

/** A bound on what models may cost (SEMANTICS §12): for the whole run, or for one visit of a stage. */
export interface Budget {
  readonly scope: 'run' | 'stage';
  readonly unit: UsageUnit;
  readonly limit: number;
}

/** What has been said of a budget, so that it is said once: for another limit it is said again. */
export interface BudgetNews {
  readonly limit: number;
  readonly isExceeded: boolean;
}

export type ReportedBudgets = Readonly<Partial<Record<UsageUnit, BudgetNews>>>;

export const nothingReported: ReportedBudgets = {};

/** The part of a budget at which people are warned. */
const warningShare = 0.8;
/** Sums of fractions are not exact: what is missing of a budget by less than that is not missing. */
const tolerance = 1e-9;

/** Which events a budget is due, given what was said of it (SEMANTICS §12). */
export function newsOf(
  { unit, limit }: Budget,
  usage: Usage,
  told: ReportedBudgets,
): readonly ('BudgetWarning' | 'BudgetExceeded')[] {
  const used = amountOf(unit, usage);
  const before = told[unit];
  const isKnown = before?.limit === limit;
  const mustWarn = !isKnown && used > 0 && isReached(used, limit * warningShare);
  const isExceeded = used > 0 && isReached(used, limit) && !(isKnown && before.isExceeded);
  const news: ('BudgetWarning' | 'BudgetExceeded')[] = [];
  if (mustWarn) news.push('BudgetWarning');
  if (isExceeded) news.push('BudgetExceeded');
  return news;
}

/** Whether so much of a budget is used that nothing is left. */
export function isReached(used: number, limit: number): boolean {
  return used >= limit - tolerance;
}
