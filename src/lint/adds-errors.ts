import type { Diagnostic } from '../diagnostic/diagnostic.js';
import { losesText } from '../parser/dot/loses-text.js';

/**
 * Whether a text has errors that the text before it had not: more than that, or more of one rule. Where a part of the text
 * before could not be read, what another rule finds now may have been hidden before, so that only the number of all counts.
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
