import type { LintRule } from '../rule.js';

/** The built-in rules (§7.2), in the order of the specification. */
export const builtInRules: readonly LintRule[] = [];
