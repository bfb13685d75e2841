import type { Diagnostic } from '../diagnostic/diagnostic.js';
import { SourceText } from '../diagnostic/source.js';
import type { Graph } from '../graph/graph.js';
import { knownHandlerTypes } from '../graph/known-handler-types.js';
import { lint } from './lint.js';
import type { LintContext, LintRule } from './rule.js';
import { builtInRules } from './rules/index.js';

/**
 * Applies the built-in rules and the given ones to a graph (§7.3), for programs that have a graph.
 * @param context without a source, findings inside of strings point at the whole string
 */
export function validate(
  graph: Graph,
  extraRules: readonly LintRule[] = [],
  context: Partial<LintContext> = {},
): readonly Diagnostic[] {
  return lint(
    graph,
    { source: new SourceText(graph.name, ''), handlerTypes: knownHandlerTypes(), ...context },
    [...builtInRules, ...extraRules],
  );
}

/** Like `validate`, but throws a `ValidationError` if there is an error (§7.3, §11.2). */
export function validateOrRaise(
  graph: Graph,
  extraRules: readonly LintRule[] = [],
  context: Partial<LintContext> = {},
): readonly Diagnostic[] {
  const diagnostics = validate(graph, extraRules, context);
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 'error');
  if (errors.length > 0) throw new ValidationError(diagnostics, errors);
  return diagnostics;
}

/** Pipeline that must not run (§7.1). `diagnostics` has all findings, warnings included. */
export class ValidationError extends Error {
  override readonly name = 'ValidationError';
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[], errors: readonly Diagnostic[]) {
    super(errors.map((error) => `${error.rule}: ${error.message}`).join('\n'));
    this.diagnostics = diagnostics;
  }
}
