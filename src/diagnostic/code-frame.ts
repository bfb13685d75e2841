import { type FrameLine, frameLine } from './frame-line.js';
import type { SourceText, Span } from './source.js';

/** Row of a code frame: a line with its marks, or a gap for omitted lines. */
export type FrameRow =
  | ({ readonly kind: 'line'; readonly number: number } & FrameLine)
  | { readonly kind: 'gap' };

/** Number of lines above which a span is shown by its first and its last line. */
const mostLines = 4;

/** Lines under a span, as a compiler shows them. */
export function codeFrame(source: SourceText, span: Span, width: number): readonly FrameRow[] {
  const { text } = source;
  const first = source.positionAt(span.start);
  const lastOffset = Math.min(Math.max(span.start, span.end - 1), text.length);
  const last = source.positionAt(lastOffset);
  const row = (number: number, from: number): FrameRow => {
    return { kind: 'line', number, ...frameLine(text, from, span.end, width) };
  };

  const rows = [row(first.line, Math.min(span.start, text.length))];
  if (last.line === first.line) return rows;
  const lastLineStart = lastOffset - (last.column - 1);
  if (last.line - first.line < mostLines) {
    let lineStart = text.indexOf('\n', span.start) + 1;
    for (let number = first.line + 1; number < last.line; number += 1) {
      rows.push(row(number, skipBlanks(text, lineStart)));
      lineStart = text.indexOf('\n', lineStart) + 1;
    }
  } else {
    rows.push({ kind: 'gap' });
  }
  rows.push(row(last.line, Math.min(skipBlanks(text, lastLineStart), lastOffset)));
  return rows;
}

function skipBlanks(text: string, offset: number): number {
  let end = offset;
  while (text[end] === ' ' || text[end] === '\t') end += 1;
  return end;
}
