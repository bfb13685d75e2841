import type { SourceText, Span } from '../../diagnostic/source.js';

export interface StringProblem {
  readonly code: 'unknown_escape' | 'line_continuation';
  /** Offset and length of the escape within the raw text. */
  readonly offset: number;
  readonly length: number;
}

export interface DecodedString {
  readonly text: string;
  /** In the order of the text; at most 1000, so that hostile input costs no memory. */
  readonly problems: readonly StringProblem[];
}

const PROBLEM_LIMIT = 1000;

/** Decodes the inside of a quoted string in one pass from left to right (§2.2, SEMANTICS 14). */
export function decodeString(raw: string): DecodedString {
  let backslash = raw.indexOf('\\');
  if (backslash === -1) return { text: raw, problems: [] };
  const problems: StringProblem[] = [];
  let text = '';
  let copied = 0;
  while (backslash !== -1) {
    const sequence = readEscape(raw, backslash);
    if (sequence.problem !== undefined && problems.length < PROBLEM_LIMIT) {
      problems.push({ code: sequence.problem, offset: backslash, length: sequence.length });
    }
    text += raw.slice(copied, backslash) + sequence.text;
    copied = backslash + sequence.length;
    backslash = raw.indexOf('\\', copied);
  }
  return { text: text + raw.slice(copied), problems };
}

/** The offset in the source of an index into the decoded text of a value, quoted or bare. */
export function sourceOffset(source: SourceText | string, valueSpan: Span, decodedIndex: number): number {
  const text = typeof source === 'string' ? source : source.text;
  if (text[valueSpan.start] !== '"')
    return Math.min(valueSpan.start + Math.max(0, decodedIndex), valueSpan.end);
  const { raw, start } = insideOf(text, valueSpan);
  let rawIndex = 0;
  let decoded = 0;
  for (;;) {
    const backslash = raw.indexOf('\\', rawIndex);
    const plain = (backslash === -1 ? raw.length : backslash) - rawIndex;
    if (decodedIndex < decoded + plain || backslash === -1) {
      return start + Math.min(rawIndex + Math.max(0, decodedIndex - decoded), raw.length);
    }
    const sequence = readEscape(raw, backslash);
    decoded += plain;
    if (decodedIndex < decoded + sequence.text.length) {
      // Both characters of an unknown escape are kept, so that the index may point at the second one.
      return start + backslash + (sequence.problem === 'unknown_escape' ? decodedIndex - decoded : 0);
    }
    decoded += sequence.text.length;
    rawIndex = backslash + sequence.length;
  }
}

/** The span in the source of a span in the decoded text of a value. */
export function mapSpan(source: SourceText | string, valueSpan: Span, innerSpan: Span): Span {
  const start = sourceOffset(source, valueSpan, innerSpan.start);
  if (innerSpan.end <= innerSpan.start) return { start, end: start };
  return { start, end: sourceOffset(source, valueSpan, innerSpan.end) };
}

interface Escape {
  readonly text: string;
  readonly length: number;
  readonly problem?: StringProblem['code'];
}

function readEscape(raw: string, backslash: number): Escape {
  const next = raw[backslash + 1];
  switch (next) {
    case '"':
    case '\\':
      return { text: next, length: 2 };
    case 'n':
      return { text: '\n', length: 2 };
    case 't':
      return { text: '\t', length: 2 };
    case '\n':
      return { text: '', length: 2, problem: 'line_continuation' };
    case '\r':
      return { text: '', length: raw[backslash + 2] === '\n' ? 3 : 2, problem: 'line_continuation' };
    case undefined:
      return { text: '\\', length: 1 };
    default:
      return { text: `\\${next}`, length: 2, problem: 'unknown_escape' };
  }
}

/** What stands between the quotes; a string that is cut off at the end of the text lacks the closing one. */
function insideOf(text: string, span: Span): { readonly raw: string; readonly start: number } {
  const start = span.start + 1;
  return { raw: text.slice(start, isClosed(text, start, span.end) ? span.end - 1 : span.end), start };
}

function isClosed(text: string, start: number, end: number): boolean {
  if (end <= start || text[end - 1] !== '"') return false;
  let backslashes = 0;
  while (end - 2 - backslashes >= start && text[end - 2 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 0;
}
