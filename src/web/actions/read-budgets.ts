import type { BudgetLimit, StageBudgets } from '../../graph/budget-limit.js';
import { addStageBudget, readBudget, stageBudgetForm } from '../../graph/read-budget.js';

/** Budgets of a form as they are written; empty ones are not given. */
export interface BudgetTexts {
  /** US dollars of the run, or `none`. */
  readonly budget: string;
  /** `node=amount`, on a line each or separated by commas, as `--stage-budget` takes it. */
  readonly stageBudgets: string;
}

/** Budgets of a request to the server (SEMANTICS 126). */
export interface GivenBudgets {
  readonly budget_usd: BudgetLimit | undefined;
  readonly stage_budgets: StageBudgets | undefined;
}

/** Budgets of a form, or a message about a wrong one. */
export function readBudgets({ budget, stageBudgets }: BudgetTexts): GivenBudgets | string {
  const written = budget.trim();
  const usd = written === '' ? undefined : readBudget(written.replace(/^\$/, '').replace(',', '.'));
  if (written !== '' && usd === undefined)
    return `The budget must be an amount such as 2.50, or none; found “${written}”.`;
  const entries = stageBudgets
    .split(/[\n,]/)
    .map((text) => text.trim())
    .filter((text) => text !== '');
  let stages: StageBudgets = {};
  for (const entry of entries) {
    const next = addStageBudget(entry, stages);
    if (next === undefined) return `A budget of a stage must be ${stageBudgetForm}; found “${entry}”.`;
    stages = next;
  }
  return { budget_usd: usd, stage_budgets: entries.length === 0 ? undefined : stages };
}
