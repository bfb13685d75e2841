import type { Expense } from '../../machine/budget.js';
import { addUsage, noUsage, type Usage } from '../../machine/usage.js';

/**
 * Model usage that the state of the run does not show yet: reported during another decision, or not yet in
 * the events of child runs. Budgets count it all the same, so that they are exact to one request (SEMANTICS
 * §12).
 */
export class PendingUsage {
  readonly #expenses = new Set<Expense>();
  readonly #children = new Set<{ readonly cursor: string; readonly untold: () => Usage }>();

  /**
   * @param tell makes an input of the use; it is folded in when that returns, or at the end of the current
   * decision
   */
  during(expense: Expense, totalUsage: () => Usage, tell: () => void): void {
    const before = totalUsage();
    this.#expenses.add(expense);
    try {
      tell();
    } finally {
      if (totalUsage() !== before) this.#expenses.delete(expense);
      else queueMicrotask(() => this.#expenses.delete(expense));
    }
  }

  /**
   * Counts unreported usage of a stage's child.
   * @returns a function that ends it
   */
  countChild(cursor: string, untold: () => Usage): () => void {
    const child = { cursor, untold };
    this.#children.add(child);
    return () => void this.#children.delete(child);
  }

  expenses(): readonly Expense[] {
    if (this.#expenses.size === 0 && this.#children.size === 0) return none;
    const ofChildren = [...this.#children].map(({ cursor, untold }) => ({ cursor, usage: untold() }));
    return [...this.#expenses, ...ofChildren];
  }

  total(): Usage {
    return this.expenses().reduce((sum, { usage }) => addUsage(sum, usage), noUsage);
  }
}

const none: readonly Expense[] = [];
