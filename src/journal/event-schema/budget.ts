import { z } from 'zod';
import { event } from './event.js';
import { inBranch, text } from './values.js';

const amount = (description: string) => z.number().min(0).meta({ description });

const fields = {
  ...inBranch,
  scope: z.enum(['run', 'stage']).meta({ description: 'Scope: the whole run, or one visit of the stage.' }),
  unit: z.enum(['usd', 'tokens']).meta({ description: 'Unit of the budget.' }),
  limit: amount('The budget.'),
  used: amount('Amount used so far.'),
  node_id: text(
    'The stage that used it last. Missing if the budget was already exceeded when the run was resumed.',
  ).optional(),
};

/** The events of budgets (SEMANTICS §12), by type. */
export const budgetEvents = () => ({
  BudgetWarning: event('BudgetWarning', 'At least 80 % of a budget is used.', fields),
  BudgetExceeded: event('BudgetExceeded', 'A budget is used up; no further requests are made.', fields),
});
