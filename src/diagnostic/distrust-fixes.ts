import type { Diagnostic } from './diagnostic.js';

/** Marks every fix that changes the text at or after an offset as a guess. */
export function distrustFixes(
  findings: readonly Diagnostic[],
  from: number | undefined,
): readonly Diagnostic[] {
  if (from === undefined) return findings;
  return findings.map((finding) =>
    finding.fix?.edits.some(({ span }) => span.end >= from)
      ? { ...finding, fix: { ...finding.fix, unsafe: true } }
      : finding,
  );
}
