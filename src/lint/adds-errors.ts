import type { Diagnostic } from '../diagnostic/diagnostic.js';
import { losesText } from '../parser/dot/loses-text.js';

/**
 * True if a text has errors that the earlier text did not have: more in total, or more of one rule. If a
 * part of the earlier text could not be read, it may have hidden errors of other rules, so that only the
 * total counts.
 */
export function addsErrors(before: readonly Diagnostic[], after: readonly Diagnostic[]): boolean {
  const errorsBefore = countErrors(before);
  const errorsAfter = countErrors(after);
  if (errorsAfter.all > errorsBefore.all) return true;
  if (losesText(before) && !losesText(after)) return false;
  return [...errorsAfter.ofRule].some(([rule, count]) => count > (errorsBefore.ofRule.get(rule) ?? 0));
}

function countErrors(diagnostics: readonly Diagnostic[]) {
  const ofRule = new Map<string, number>();
  let all = 0;
  for (const { rule, severity } of diagnostics) {
    if (severity !== 'error') continue;
    all += 1;
    ofRule.set(rule, (ofRule.get(rule) ?? 0) + 1);
  }
  return { all, ofRule };
}
