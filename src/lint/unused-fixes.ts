import type { Fix, TextEdit } from '../diagnostic/diagnostic.js';
import type { Span } from '../diagnostic/source.js';
import type { SuppressedRule, Suppression } from './suppressions.js';

/**
 * Fixes for each rule without effect, which remove it from a comment that suppresses findings; if no rule
 * of the comment has an effect, they remove the whole comment. All these edits can be made together.
 */
export function unusedFixes(
  { rules, span }: Suppression,
  unused: ReadonlySet<SuppressedRule>,
  text: string,
): ReadonlyMap<SuppressedRule, Fix> {
  const firstKept = rules.findIndex((rule) => !unused.has(rule));
  const fixes = new Map<SuppressedRule, Fix>();
  for (const [index, rule] of rules.entries()) {
    if (!unused.has(rule)) continue;
    if (firstKept === -1) {
      // One edit suffices, and two would conflict.
      const edits = index === 0 ? [removal(span, text)] : [];
      fixes.set(rule, { title: 'remove the comment', edits });
      continue;
    }
    const { start, end } = rule.span;
    const removed =
      index < firstKept
        ? { start, end: rules[index + 1]?.span.start ?? end }
        : { start: rules[index - 1]?.span.end ?? start, end };
    const title = `remove \`${rule.name}\` from the comment`;
    fixes.set(rule, { title, edits: [{ span: removed, text: '' }] });
  }
  return fixes;
}

/**
 * Edit that removes a text, with the whole line if nothing else is on it, else with the blanks before it;
 * the texts around it stay separate.
 */
function removal({ start, end }: Span, text: string): TextEdit {
  const before = /[ \t]*$/.exec(text.slice(Math.max(0, start - 200), start))?.[0].length ?? 0;
  const from = start - before;
  const isFirst = from === 0 || text[from - 1] === '\n';
  if (!isFirst) return { span: { start: from, end }, text: /^\S/.test(text.slice(end, end + 1)) ? ' ' : '' };
  const lineBreak = /^[ \t]*(?:\r?\n|$)/.exec(text.slice(end, end + 200));
  if (lineBreak === null) return { span: { start, end }, text: '' };
  return { span: { start: from, end: end + lineBreak[0].length }, text: '' };
}
