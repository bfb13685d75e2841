import { counted } from './counted.js';
import type { DiagnosticCounts } from './diagnostic.js';

/** Counts in words: `2 errors, 1 warning`, or `no problems`. */
export function countsText({ errors, warnings, infos }: DiagnosticCounts): string {
  const kinds = [
    [errors, 'error'],
    [warnings, 'warning'],
    [infos, 'note'],
  ] as const;
  const parts = kinds.flatMap(([count, noun]) => (count === 0 ? [] : [counted(count, noun)]));
  return parts.join(', ') || 'no problems';
}
