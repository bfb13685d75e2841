import type { Diagnostic, Severity } from '../diagnostic/diagnostic.js';
import { readingRules } from './reading-rules.js';
import { builtInRules } from './rules/index.js';

/** Setting of a rule in a configuration: another severity, or off. */
export type RuleSetting = 'off' | Severity;

/** Rules with a fixed severity, because a pipeline with such a finding cannot be run at all (§7.1). */
const fixedRules = [
  ...['syntax', 'attribute_type', 'retry_budget_non_negative', 'unsupported_feature'],
  ...['start_node', 'terminal_node', 'edge_target_exists', 'condition_syntax'],
  ...['property_syntax', 'property_names'],
];

/** Every id that a finding may have without a plugin. */
export const builtInRuleIds: ReadonlySet<string> = new Set([
  ...builtInRules.map(({ name }) => name),
  ...readingRules.map(({ name }) => name),
]);

/** True if the severity of a rule may be set. */
export function isAdjustable(rule: string): boolean {
  return !fixedRules.includes(rule);
}

/** Findings with the severities of a configuration. */
export function applyRuleSettings(
  diagnostics: readonly Diagnostic[],
  settings: ReadonlyMap<string, RuleSetting> = new Map(),
): readonly Diagnostic[] {
  if (settings.size === 0) return diagnostics;
  return diagnostics.flatMap((diagnostic) => {
    const setting = isAdjustable(diagnostic.rule) ? settings.get(diagnostic.rule) : undefined;
    if (setting === undefined) return [diagnostic];
    return setting === 'off' ? [] : [{ ...diagnostic, severity: setting }];
  });
}
