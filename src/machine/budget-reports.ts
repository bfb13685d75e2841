import { amountOf, type Usage, type UsageUnit } from './usage.js';

/** A bound on what models may cost (SEMANTICS §12): for the whole run, or for one visit of a stage. */
export interface Budget {
  readonly scope: 'run' | 'stage';
  readonly unit: UsageUnit;
  readonly limit: number;
}

/** Last report about a budget, so that each is made once: another limit is reported again. */
export interface BudgetReport {
  readonly limit: number;
  readonly isExceeded: boolean;
}

export type ReportedBudgets = Readonly<Partial<Record<UsageUnit, BudgetReport>>>;

export const nothingReported: ReportedBudgets = {};

/** Share of a budget at which a warning is due. */
const warningShare = 0.8;
/** Tolerance for sums of fractions, which are not exact. */
const tolerance = 1e-9;

/** Events that are due for a budget, after the reports so far (SEMANTICS §12). */
export function dueBudgetEvents(
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

/** True if a budget is used up. */
export function isReached(used: number, limit: number): boolean {
  return used >= limit - tolerance;
}

/** Larger budget to suggest for a used-up one: twice as much, in two digits that count. */
export function raisedLimit({ unit, limit }: Pick<Budget, 'unit' | 'limit'>, used: number): number {
  const twice = 2 * Math.max(limit, used);
  if (twice === 0) return unit === 'usd' ? 1 : 10_000;
  const unitOfDigits = Math.floor(Math.log10(twice)) - 1;
  const step = 10 ** Math.abs(unitOfDigits);
  return unitOfDigits < 0
    ? Math.ceil(twice * step - tolerance) / step
    : Math.ceil(twice / step - tolerance) * step;
}
