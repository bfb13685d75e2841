import type { ConditionSet } from './condition-set.js';
import type { Formula } from './formula.js';

/** Whether a formula holds of none of the outcomes, whatever the context has; false where that was not shown. */
export function isNever(set: ConditionSet, formula: Formula, outcomes: ReadonlySet<string>): boolean {
  return set.ask(formula, { outcomes, upTo: 'assumed' }).kind === 'impossible';
}
