import type { Diagnostic } from './diagnostic.js';
import { type EditSet, editSet } from './edit-set.js';

export interface AppliedFixes {
  readonly text: string;
  /** Findings whose fixes were applied, in the order of the text. */
  readonly applied: readonly Diagnostic[];
}

/**
 * Applies the safe fixes of findings to a text (SEMANTICS 98). Each fix is applied whole or not at all; of
 * two that touch the same text the earlier one wins, and the other needs a new check of the result.
 */
export function applyFixes(text: string, diagnostics: readonly Diagnostic[]): AppliedFixes {
  const edits = editSet(text);
  const applied = safelyFixable(diagnostics).filter((diagnostic) => addFix(edits, diagnostic));
  return { text: edits.apply(), applied };
}

/** Findings with a fix that needs no person, in the order in which their fixes touch the text. */
export function safelyFixable(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics
    .filter(({ fix }) => fix !== undefined && fix.edits.length > 0 && fix.unsafe !== true)
    .toSorted((one, other) => firstOffset(one) - firstOffset(other));
}

function firstOffset({ fix }: Diagnostic): number {
  return (fix?.edits ?? []).reduce(
    (first, { span }) => Math.min(first, span.start),
    Number.POSITIVE_INFINITY,
  );
}

function addFix(edits: EditSet, { rule, code, fix }: Diagnostic): boolean {
  return edits.add(fix?.edits ?? [], `${rule}/${code ?? ''}`);
}
