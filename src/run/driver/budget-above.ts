import type { Usage } from '../../machine/usage.js';

/** The budgets of the runs above a child run, which may not spend more than they leave (§9.4, SEMANTICS §12). */
export interface BudgetAbove {
  /** Whether there is any. */
  readonly isBound: boolean;
  /** Why nothing more may be spent; undefined as long as it may. */
  spent(): string | undefined;
  /** To be told how to ask for all that the child has used. */
  watch(total: () => Usage): void;
}

/** What a stage lends to the child that it runs. */
export interface BudgetForChild {
  /** Whether there is any. */
  readonly isBound: boolean;
  spent(): string | undefined;
  /** Has counted what the child has used and not told of yet. @returns ends it */
  count(untold: () => Usage): () => void;
}
