import { amountOf } from '../machine/usage.js';
import type { BudgetOverview, UsageView } from './fold/run-view.js';

/** Budgets of a run, and those of stages that are mostly used (SEMANTICS §12). */
export function budgetsOf({ total, limits, ofStages }: UsageView): readonly BudgetOverview[] {
  const ofRun = [...limits].flatMap(([unit, limit]) =>
    limit === 'none' ? [] : [{ unit, limit, used: amountOf(unit, total), node_id: null }],
  );
  return [...ofRun, ...ofStages.values()];
}
