import type { Stage } from '../../handlers/handler.js';
import type { RunEvent } from '../../machine/event.js';
import { addUsage, noUsage, type Usage, usageBeyond } from '../../machine/usage.js';
import type { BudgetAbove, BudgetForChild } from '../driver/budget-above.js';

/**
 * Adds the model usage of a child run to the stage that runs it (§9.4, SEMANTICS §12): by its events, each
 * of which the run above counts once, however often it is reported; and to its budgets at once, because an
 * event takes time.
 */
export class ChildUsage {
  /** Budget for the child: the rest that the runs above it leave. */
  readonly budget: BudgetAbove;
  readonly #stage: Pick<Stage, 'report'>;
  readonly #stopCounting: () => void;
  #told: Usage = noUsage;
  #total: () => Usage = () => this.#told;

  constructor(stage: Pick<Stage, 'report'>, budget: BudgetForChild) {
    this.#stage = stage;
    this.#stopCounting = budget.count(() => usageBeyond(this.#total(), this.#told));
    this.budget = {
      isBound: budget.isBound,
      spent: () => {
        const reason = budget.spent();
        return reason === undefined ? undefined : `the parent run may not spend any more: ${reason}`;
      },
      watch: (total) => {
        this.#total = total;
      },
    };
  }

  /** Call with every event of the child, those of an earlier process first. */
  add(event: RunEvent): void {
    if (event.type !== 'ModelUsed') return;
    const { provider, model, usage, run_id: child_run, seq: child_seq } = event;
    this.#told = addUsage(this.#told, usage);
    this.#stage.report({ kind: 'model_used', provider, model, usage, child_run, child_seq });
  }

  close(): void {
    this.#stopCounting();
  }
}
