import type { Fix, TextEdit } from '../diagnostic/diagnostic.js';
import type { Span } from '../diagnostic/source.js';
import type { SuppressedRule, Suppression } from './suppressions.js';

/**
 * For each rule without effect, what takes it out of a comment that suppresses findings; where no rule of it has one, what
 * removes the whole comment. All these edits can be made together.
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
      // One edit is enough, and two would be in each other's way.
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

/** With the whole line where nothing else is on it, else with the blanks before it; what it parts stays apart. */
function removal({ start, end }: Span, text: string): TextEdit {
  const before = /[ \t]*$/.exec(text.slice(Math.max(0, start - 200), start))?.[0].length ?? 0;
  const from = start - before;
  const isFirst = from === 0 || text[from - 1] === '\n';
  if (!isFirst) return { span: { start: from, end }, text: /^\S/.test(text.slice(end, end + 1)) ? ' ' : '' };
  const lineBreak = /^[ \t]*(?:\r?\n|$)/.exec(text.slice(end, end + 200));
  if (lineBreak === null) return { span: { start, end }, text: '' };
  return { span: { start: from, end: end + lineBreak[0].length }, text: '' };
}
