import { isUnpriced } from '../machine/budget.js';
import type { BudgetExceeded, BudgetWarning, RunEvent } from '../machine/event.js';
import { addUsage, amountOf, noUsage, type Usage, type UsageUnit } from '../machine/usage.js';

/** A budget, for somebody who looks at a run from outside. */
export interface BudgetOverview {
  readonly unit: UsageUnit;
  readonly limit: number;
  readonly used: number;
  /** The stage whose visit may use so much; null for the budget of the run. */
  readonly node_id: string | null;
}

/** What the events of a run say of its use of models (SEMANTICS §12). */
export class UsageDigest {
  total: Usage = noUsage;
  readonly byNode = new Map<string, Usage>();
  readonly unpriced = new Set<string>();
  readonly #limits = new Map<UsageUnit, number>();
  /** By node and unit: those of stages, as soon as most of one is used. */
  readonly #ofStages = new Map<string, BudgetOverview>();

  add(event: RunEvent): void {
    switch (event.type) {
      case 'PipelineResumed':
        this.#ofStages.clear();
        return this.#set(event);
      case 'PipelineStarted':
        return this.#set(event);
      case 'ModelUsed': {
        const { node_id, model, usage } = event;
        this.total = addUsage(this.total, usage);
        this.byNode.set(node_id, addUsage(this.byNode.get(node_id) ?? noUsage, usage));
        if (isUnpriced(usage)) this.unpriced.add(model);
        return;
      }
      case 'BudgetWarning':
      case 'BudgetExceeded':
        return this.#note(event);
      default:
        return;
    }
  }

  get budgets(): readonly BudgetOverview[] {
    const ofRun = [...this.#limits].map(([unit, limit]) => {
      return { unit, limit, used: amountOf(unit, this.total), node_id: null };
    });
    return [...ofRun, ...this.#ofStages.values()];
  }

  #set({ budget_usd: usd, budget_tokens: tokens }: { budget_usd?: number; budget_tokens?: number }): void {
    if (usd !== undefined) this.#limits.set('usd', usd);
    if (tokens !== undefined) this.#limits.set('tokens', tokens);
  }

  #note({ scope, unit, limit, used, node_id }: BudgetWarning | BudgetExceeded): void {
    if (scope === 'run' || node_id === undefined) return;
    this.#ofStages.set(`${unit} ${node_id}`, { unit, limit, used, node_id });
  }
}
