import type { Span } from '../../src/diagnostic/source.js';

/** Splits `a «b» c` into the text `a b c` and the span of `b`; `«»` marks an empty place. */
export function marked(text: string): { readonly text: string; readonly span: Span } {
  const start = text.indexOf('«');
  const end = text.indexOf('»') - 1;
  if (start === -1 || end < start) throw new Error(`no «place» is marked in ${text}`);
  return { text: text.replace('«', '').replace('»', ''), span: { start, end } };
}
