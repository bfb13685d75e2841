/** Budget as people write it: an amount from 0, or the word that lifts it (SEMANTICS 126). */
export type BudgetLimit = number | 'none';

/** Budgets of one visit of a stage: US dollars and tokens. */
export interface StageBudget {
  readonly usd?: BudgetLimit;
  readonly tokens?: number;
}

/** Budgets of stages by the ids of their nodes, in place of those of the pipeline. */
export type StageBudgets = Readonly<Record<string, StageBudget>>;

/** Amount that a budget allows; undefined without one. */
export function amountAllowed(limit: BudgetLimit | undefined): number | undefined {
  return limit === 'none' ? undefined : limit;
}
