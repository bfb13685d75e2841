import type { Remark } from './gap.js';

/** Printed lines and the source that they are printed from. */
export interface Page {
  /** The text as its author wrote it. */
  readonly source: string;
  /** The finished lines, without line ends; only strings and comments have line ends within. */
  readonly lines: string[];
  /** Line end of the file. */
  readonly lineEnd: '\n' | '\r\n';
}

/** One step of indentation. */
export const STEP = '    ';

/** Columns within which lines stay if they can. */
export const WIDTH = 100;

/** Adds to the end of the last line. */
export function append(page: Page, text: string): void {
  page.lines[page.lines.length - 1] += text;
}

/** Column at which the last line ends. */
export function columnOf({ lines }: Page): number {
  const last = lines.at(-1) ?? '';
  return last.length - last.lastIndexOf('\n') - 1;
}

/** Divides the comments of a gap between the part before it, on whose line they stand, and the part after it. */
export function divide(
  remarks: readonly Remark[],
  isLast: boolean,
): { readonly trailing: readonly Remark[]; readonly leading: readonly Remark[] } {
  if (remarks.length === 0) return { trailing: remarks, leading: remarks };
  const lastBreak = remarks.findLastIndex(({ endsLine }) => endsLine);
  let count = 0;
  for (const remark of remarks) {
    const standsApart = count <= lastBreak || remark.beforeSign || isLast;
    if (remark.startsLine || !standsApart) break;
    count += 1;
  }
  return { trailing: remarks.slice(0, count), leading: remarks.slice(count) };
}

/** True if a comment may be in the middle of a line. */
export function isInline({ kind, text, startsLine, endsLine }: Remark): boolean {
  return kind === 'block' && !startsLine && !endsLine && !text.includes('\n');
}

/** Prints comments at the end of the last line; those that do not fit there follow in lines of their own. */
export function printTrailing(page: Page, remarks: readonly Remark[], indent: string): void {
  let closed = false;
  for (const remark of remarks) {
    const text = indented(page, remark, indent);
    if (closed) page.lines.push(indent + text);
    else append(page, ` ${text}`);
    closed = remark.kind === 'line';
  }
}

/**
 * Prints the comments before a part, each in a separate line if the source has it so.
 * @param isFirst true if nothing stands above in the same block, so that no empty line does either
 * @returns the text before the part in its line
 */
export function printLeading(
  page: Page,
  remarks: readonly Remark[],
  { indent, isFirst }: { readonly indent: string; readonly isFirst: boolean },
): string {
  let prefix = '';
  remarks.forEach((remark, index) => {
    if (remark.afterBlankLine && prefix === '' && !(isFirst && index === 0)) page.lines.push('');
    prefix += indented(page, remark, indent);
    if (remark.kind === 'line' || remark.endsLine) {
      page.lines.push(indent + prefix);
      prefix = '';
    } else {
      prefix += ' ';
    }
  });
  return prefix;
}

/** The text of a comment; one whose lines all begin with a star moves as a whole. */
function indented({ lineEnd }: Page, { text }: Remark, indent: string): string {
  if (!text.includes('\n')) return text;
  const [first = '', ...others] = text.split('\n');
  const isStarred = others.every((line) => /^\s*\*/.test(line));
  const lines = isStarred ? others.map((line) => `${indent} ${line.trimStart()}`) : others;
  return [first, ...lines].join(lineEnd);
}
