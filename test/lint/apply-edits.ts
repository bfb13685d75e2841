import type { TextEdit } from '../../src/diagnostic/diagnostic.js';

/** The text after edits that do not overlap; those at one place stand in the order given. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = '';
  let copied = 0;
  for (const { span, text: inserted } of edits.toSorted((one, other) => one.span.start - other.span.start)) {
    result += text.slice(copied, span.start) + inserted;
    copied = span.end;
  }
  return result + text.slice(copied);
}
