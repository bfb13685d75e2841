import type { Usage } from '../../machine/usage.js';

/** Budgets of the runs above a child run, which may not spend more than they leave (§9.4, SEMANTICS §12). */
export interface BudgetAbove {
  /** True if there is any budget. */
  readonly isBound: boolean;
  /** Reason why nothing more may be spent; undefined as long as it may. */
  spent(): string | undefined;
  /** Registers a function that returns the whole usage of the child. */
  watch(total: () => Usage): void;
}

/** Budget that a stage lends to its child. */
export interface BudgetForChild {
  /** True if there is any budget. */
  readonly isBound: boolean;
  spent(): string | undefined;
  /**
   * Counts usage of the child that is not yet reported.
   * @returns a function that ends it
   */
  count(untold: () => Usage): () => void;
}
