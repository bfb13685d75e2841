import type { Diagnostic, Severity } from './diagnostic.js';

const rankOf: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

/** Sorts by the order of the text; at one offset errors first, then by rule. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return [...diagnostics].sort(
    (one, other) =>
      one.span.start - other.span.start ||
      rankOf[one.severity] - rankOf[other.severity] ||
      compareText(one.rule, other.rule),
  );
}

/** Compares by code units, so that the order is the same under every locale. */
function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
