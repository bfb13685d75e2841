import type { Diagnostic } from './diagnostic.js';

/** Marks the fixes that change a text from an offset on as guesses. */
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
