import type { Diagnostic } from '../diagnostic/diagnostic.js';
import { sortDiagnostics } from '../diagnostic/sort-diagnostics.js';
import type { Graph } from '../graph/graph.js';
import type { LintContext, LintRule } from './rule.js';

/** Runs the rules over a graph (§7.3); the findings are in the order of the text. */
export function lint(graph: Graph, context: LintContext, rules: readonly LintRule[]): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  for (const rule of rules) {
    for (const finding of rule.apply(graph, context)) {
      diagnostics.push({ ...finding, severity: finding.severity ?? rule.severity, rule: rule.name });
    }
  }
  return sortDiagnostics(diagnostics);
}
