import type { Severity } from '../diagnostic/diagnostic.js';
import { readingRules } from './reading-rules.js';
import type { LintRule } from './rule.js';
import { isAdjustable } from './rule-settings.js';
import { builtInRules } from './rules/index.js';

/** Description of a rule, without running it. */
export interface RuleEntry {
  readonly id: string;
  readonly severity: Severity;
  readonly summary: string;
  readonly rationale?: string;
  /** True if its findings may have edits that can be made automatically. */
  readonly fixable: boolean;
  /** True if its severity can be set, and its findings suppressed. */
  readonly adjustable: boolean;
}

/** Every rule that a finding may name, from any source (§7.2, §7.4), in the order of the ids. */
export function ruleCatalog(extraRules: readonly LintRule[] = []): readonly RuleEntry[] {
  return [...builtInRules, ...readingRules, ...extraRules]
    .map(
      ({ name, severity, summary, rationale, fixable }): RuleEntry => ({
        id: name,
        severity,
        summary,
        rationale,
        fixable: fixable === true,
        adjustable: isAdjustable(name),
      }),
    )
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}
