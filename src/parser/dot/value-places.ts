import type { SourceText, Span } from '../../diagnostic/source.js';
import { readEscape } from './string.js';

/**
 * Offset in the source of an index into the text of a value: through quotes, escapes and seams (§2.2,
 * SEMANTICS 14).
 */
export function sourceOffset(source: SourceText | string, valueSpan: Span, index: number): number {
  const text = typeof source === 'string' ? source : source.text;
  let before = 0;
  let end = valueSpan.start;
  for (const piece of piecesOf(text, valueSpan)) {
    const { offset, length } = findIn(text, piece, index - before);
    if (offset !== undefined) return offset;
    before += length;
    end = piece.end;
  }
  return end;
}

/** Span in the source of a span in the text of a value; it begins and ends at a character of that text. */
export function mapSpan(source: SourceText | string, valueSpan: Span, innerSpan: Span): Span {
  const text = typeof source === 'string' ? source : source.text;
  const start = sourceOffset(text, valueSpan, innerSpan.start);
  if (innerSpan.end <= innerSpan.start) return { start, end: start };
  const last = sourceOffset(text, valueSpan, innerSpan.end - 1);
  return { start, end: Math.min(last + widthAt(text, valueSpan, last), valueSpan.end) };
}

/** Part of a value between its quotes, or without any. */
interface Piece extends Span {
  readonly hasEscapes: boolean;
}

const wrongQuotes: ReadonlyMap<string, string> = new Map([
  ["'", "'"],
  ['`', '`'],
  ['“', '“”'],
  ['”', '“”'],
  ['„', '“”'],
  ['‘', '‘’'],
  ['’', '‘’'],
  ['«', '»'],
]);

/**
 * Pieces of a value: one, unless its author has joined several with `+`, which is reported and read as one
 * text.
 */
function* piecesOf(text: string, { start, end }: Span): Iterable<Piece> {
  for (let offset = start; offset < end; offset = afterSeam(text, offset, end)) {
    if (text[offset] !== '"') {
      yield plainPiece(text, offset, end);
      return;
    }
    const quote = closingQuote(text, offset + 1, end);
    yield { start: offset + 1, end: quote ?? end, hasEscapes: true };
    offset = quote === undefined ? end : quote + 1;
  }
}

/**
 * Offset of the closing quote: one that ends the value, or its piece before a `+`. Undefined in a string that is cut off at the end of
 * the text. Any other quote lacks its backslash, which is reported, and belongs to the text.
 */
function closingQuote(text: string, from: number, end: number): number | undefined {
  for (
    let quote = text.indexOf('"', from);
    quote !== -1 && quote < end;
    quote = text.indexOf('"', quote + 1)
  ) {
    let backslashes = 0;
    while (quote - 1 - backslashes >= from && text[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0 && (quote + 1 >= end || isSeam(text, quote + 1, end))) return quote;
  }
  return undefined;
}

function isSeam(text: string, offset: number, end: number): boolean {
  const next = afterSeam(text, offset, end);
  return text[next] === '"' && text.slice(offset, next).includes('+');
}

function plainPiece(text: string, start: number, end: number): Piece {
  const closing = wrongQuotes.get(text[start] ?? '');
  const isQuoted = closing?.includes(text[end - 1] ?? ' ') === true && end - start > 1;
  return { start: isQuoted ? start + 1 : start, end: isQuoted ? end - 1 : end, hasEscapes: false };
}

const seam = /(?:[\s+]|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/y;

function afterSeam(text: string, offset: number, end: number): number {
  seam.lastIndex = offset;
  seam.test(text);
  return Math.max(offset, Math.min(seam.lastIndex, end));
}

/**
 * Offset of the character of a piece with this index; undefined if the piece is shorter, with its `length`.
 */
function findIn(
  text: string,
  { start, end, hasEscapes }: Piece,
  index: number,
): { readonly offset: number | undefined; readonly length: number } {
  let offset = start;
  let decoded = 0;
  for (;;) {
    const nextBackslash = hasEscapes ? text.indexOf('\\', offset) : -1;
    const backslash = nextBackslash === -1 || nextBackslash >= end ? end : nextBackslash;
    const unescapedLength = backslash - offset;
    if (index < decoded + unescapedLength)
      return { offset: offset + Math.max(0, index - decoded), length: 0 };
    decoded += unescapedLength;
    if (backslash === end) return { offset: undefined, length: decoded };
    const sequence = readEscape(text.slice(backslash, Math.min(backslash + 3, end)), 0);
    if (index < decoded + sequence.text.length) {
      // Both characters of an unknown escape are kept, so that the index may point at the second one.
      const isKept = sequence.problem === 'unknown_escape';
      return { offset: backslash + (isKept ? index - decoded : 0), length: 0 };
    }
    decoded += sequence.text.length;
    offset = backslash + sequence.length;
  }
}

/** Number of source characters that spell the one at an offset. */
function widthAt(text: string, valueSpan: Span, offset: number): number {
  const isEscape = text[offset] === '\\' && text[valueSpan.start] === '"';
  if (!isEscape) return 1;
  const { length, problem } = readEscape(text.slice(offset, offset + 3), 0);
  return problem === 'unknown_escape' ? 1 : length;
}
