import type { DiffLine } from '../check-expectations.js';
import type { CaseResult, FileResult } from '../run-cases.js';

/** Differences of a failed case as plain text: each message with its place, then its diff. */
export function mismatchText({ mismatches }: CaseResult, { read }: FileResult): string {
  return mismatches
    .flatMap(({ message, diff = [], span }) => {
      const { line, column } = read.source.positionAt(span.start);
      return [`${read.source.name}:${line}:${column}: ${message}`, ...diff.map(diffText)];
    })
    .join('\n');
}

const marks: Readonly<Record<DiffLine['side'], string>> = { both: '    ', expected: '  - ', actual: '  + ' };

function diffText({ side, text }: DiffLine): string {
  return marks[side] + text;
}

/** Mistakes of an unusable file as plain text, a line each. */
export function diagnosticText({ diagnostics, read }: FileResult): string {
  return diagnostics
    .map(({ message, span }) => {
      const { line, column } = read.source.positionAt(span.start);
      return `${read.source.name}:${line}:${column}: ${message}`;
    })
    .join('\n');
}
