import type { Diagnostic } from '../diagnostic/diagnostic.js';
import { sortDiagnostics } from '../diagnostic/sort-diagnostics.js';
import type { Graph } from '../graph/graph.js';
import type { LintContext, LintRule } from './rule.js';

/** Runs the rules over a graph (§7.3); the findings are in the order of the text. */
export function lint(graph: Graph, context: LintContext, rules: readonly LintRule[]): readonly Diagnostic[] {
  return runToEnd(lintSteps(graph, context, rules));
}

/** The same in steps, one for each rule, between which a caller can do other work or give up. */
export function* lintSteps(
  graph: Graph,
  context: LintContext,
  rules: readonly LintRule[],
): Generator<undefined, readonly Diagnostic[]> {
  const diagnostics: Diagnostic[] = [];
  for (const rule of rules) {
    for (const finding of rule.apply(graph, context)) {
      diagnostics.push({ ...finding, severity: finding.severity ?? rule.severity, rule: rule.name });
    }
    yield;
  }
  return sortDiagnostics(diagnostics);
}

/** Result of a computation in steps, without a pause. */
export function runToEnd<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
