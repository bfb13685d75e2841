import type { ConditionSet } from './condition-set.js';
import type { Formula } from './formula.js';

/**
 * True if a formula is false for each of the outcomes, whatever the context; false if that could not be
 * shown.
 */
export function isNever(set: ConditionSet, formula: Formula, outcomes: ReadonlySet<string>): boolean {
  return set.ask(formula, { outcomes, upTo: 'assumed' }).kind === 'impossible';
}
