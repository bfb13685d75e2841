import { compile } from '../../src/compiler/compile.js';
import type { Diagnostic } from '../../src/diagnostic/diagnostic.js';

/**
 * A text with the findings drawn below their lines: `^^^ rule`. A finding that covers several lines is drawn below each;
 * one of no width is a `^` at its place.
 */
export function drawn(text: string, rules?: ReadonlySet<string>): string {
  const found = compile(text).diagnostics.filter(({ rule }) => rules === undefined || rules.has(rule));
  let start = 0;
  return text
    .split('\n')
    .flatMap((line) => {
      const from = start;
      start += line.length + 1;
      const shown = line.replace(/\r$/, '');
      return [shown, ...found.flatMap((finding) => underline(finding, from, shown))];
    })
    .join('\n');
}

function underline({ rule, code, span }: Diagnostic, lineStart: number, line: string): readonly string[] {
  const start = Math.max(span.start - lineStart, 0);
  const end = Math.min(span.end - lineStart, line.length);
  const isHere =
    span.start === span.end ? start === end && start >= 0 && span.start >= lineStart : start < end;
  if (!isHere) return [];
  const name = code === undefined ? rule : `${rule}/${code}`;
  return [`${' '.repeat(start)}${'^'.repeat(Math.max(1, end - start))} ${name}`];
}

/** The text of a drawing without what is drawn into it. */
export function undrawn(drawing: string): string {
  return drawing
    .split('\n')
    .filter((line) => !/^ *\^+ [a-z_]+(?:\/[a-z_]+)?$/.test(line))
    .join('\n');
}
