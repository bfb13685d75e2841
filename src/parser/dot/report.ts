import { EOF, type IToken } from 'chevrotain';
import type { Diagnostic, Fix, RelatedLocation, TextEdit } from '../../diagnostic/diagnostic.js';
import { type Position, SourceText, type Span } from '../../diagnostic/source.js';
import { type SyntaxCode, syntaxCodes } from './syntax-codes.js';

const USUAL_LIMIT = 100;

/** Findings that explain the ones before them, so that they are always kept. */
const ALWAYS_SHOWN: ReadonlySet<SyntaxCode> = new Set([
  'nesting_limit',
  'size_limit',
  'unterminated_string',
  'unterminated_comment',
]);

export interface ReportDetails {
  readonly fix?: Fix;
  readonly related?: readonly RelatedLocation[];
}

/**
 * Message, or a function that makes it: a broken text may have a million findings of which a hundred are
 * kept.
 */
type Message = string | (() => string);

/**
 * Collects the syntax findings of one text: at most 100 errors and 100 warnings are kept, unless the limit
 * is raised.
 */
export interface Report {
  readonly text: string;
  add(code: SyntaxCode, span: Span, message: Message, details?: ReportDetails): void;
  /**
   * Adds a finding about a meaningless sign, unless its line has an error already, of which it is probably
   * a consequence.
   */
  addUnlessSameLine(code: SyntaxCode, span: Span, message: string, details?: ReportDetails): void;
  /** Removes a finding that a better one replaces. */
  withdraw(code: SyntaxCode, start: number): void;
  /** Ignores findings from an offset on: an earlier mistake makes them worthless. */
  muteFrom(offset: number): void;
  has(code: SyntaxCode): boolean;
  /** Number of errors so far, those beyond the limit included. */
  readonly errorCount: number;
  positionAt(offset: number): Position;
  /**
   * Records that the ends of the last blocks are part of a string or comment without end, so that they are
   * not reported missing.
   */
  loseEnd(): void;
  readonly isEndLost: boolean;
  /** Sorted by position. */
  diagnostics(): readonly Diagnostic[];
}

export function createReport(text: string, limit = USUAL_LIMIT): Report {
  const diagnostics: Diagnostic[] = [];
  const codes = new Set<SyntaxCode>();
  const counts = { error: 0, warning: 0 };
  let errorCount = 0;
  let firstOmitted: Span | undefined;
  let source: SourceText | undefined;
  let mutedFrom = Number.POSITIVE_INFINITY;
  let latestError = Number.POSITIVE_INFINITY;
  let endLost = false;

  const report: Report = {
    text,
    add(code, span, message, details) {
      if (span.start >= mutedFrom) return;
      codes.add(code);
      const { severity } = syntaxCodes[code];
      // A warning explains no error.
      if (severity === 'error') errorCount += 1;
      if (severity === 'error') latestError = Math.max(span.start, lastLineStart(text, span));
      if (counts[severity] >= limit && !ALWAYS_SHOWN.has(code)) {
        if (severity === 'error') firstOmitted ??= span;
        return;
      }
      counts[severity] += 1;
      const written = typeof message === 'string' ? message : message();
      diagnostics.push({ rule: 'syntax', code, severity, message: written, span, ...details });
    },
    addUnlessSameLine(code, span, message, details) {
      if (isSameLine(text, latestError, span.start)) return;
      report.add(code, span, message, details);
    },
    withdraw(code, start) {
      const index = diagnostics.findLastIndex((one) => one.code === code && one.span.start === start);
      if (index === -1) return;
      diagnostics.splice(index, 1);
      counts[syntaxCodes[code].severity] -= 1;
      if (syntaxCodes[code].severity === 'error') errorCount -= 1;
    },
    get errorCount() {
      return errorCount;
    },
    positionAt(offset) {
      source ??= new SourceText('', text);
      return source.positionAt(offset);
    },
    muteFrom(offset) {
      mutedFrom = offset;
    },
    has: (code) => codes.has(code),
    loseEnd() {
      endLost = true;
    },
    get isEndLost() {
      return endLost;
    },
    diagnostics() {
      const sorted = diagnostics.toSorted(byPosition);
      return firstOmitted === undefined
        ? sorted
        : [...sorted, tooManyErrors(firstOmitted, sorted, limit)].toSorted(byPosition);
    },
  };
  return report;
}

function tooManyErrors(omitted: Span, reported: readonly Diagnostic[], limit: number): Diagnostic {
  const last = reported.at(-1)?.span ?? omitted;
  return {
    rule: 'syntax',
    code: 'too_many_errors',
    severity: 'error',
    message: `only the first ${limit} syntax errors are shown; correct them to see the others`,
    span: omitted.start >= last.start ? omitted : last,
  };
}

function byPosition(left: Diagnostic, right: Diagnostic): number {
  return left.span.start - right.span.start || left.span.end - right.span.end;
}

/** Beginning of the line on which a span ends, within its last 200 characters. */
function lastLineStart(text: string, span: Span): number {
  const from = Math.max(span.start, span.end - 200);
  return from + text.slice(from, span.end).lastIndexOf('\n') + 1;
}

/** True if an offset comes after another, on the same line and near it. */
export function isSameLine(text: string, from: number, to: number): boolean {
  return from <= to && to - from < 200 && !/[\r\n]/.test(text.slice(from, to));
}

export function spanOf(token: IToken): Span {
  return { start: token.startOffset, end: endOf(token) };
}

export function endOf(token: IToken): number {
  return token.startOffset + token.image.length;
}

/** Token in the words of messages. */
export function describe(token: IToken): string {
  if (token.tokenType === EOF) return 'the end of the file';
  return token.image.startsWith('"') ? shortExcerpt(token.image) : `"${shortExcerpt(token.image)}"`;
}

/** At most 40 characters of a text, on one line. */
export function shortExcerpt(text: string): string {
  const short = text.length > 40 ? `${text.slice(0, 39)}…` : text;
  return short.replace(/\s+/g, ' ');
}

/** Fix with one replacement. */
export function replacement(title: string, span: Span, text: string): Fix {
  const edit: TextEdit = { span, text };
  return { title, edits: [edit] };
}

/** A fix that only a person can make. */
export function advice(title: string): Fix {
  return { title, edits: [] };
}

/** Fix that a person must check. */
export function guess(fix: Fix): Fix {
  return { ...fix, unsafe: true };
}
