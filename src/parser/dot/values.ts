import type { IToken } from 'chevrotain';
import type { Fix } from '../../diagnostic/diagnostic.js';
import type { Span } from '../../diagnostic/source.js';
import type { ValueNode } from './ast.js';
import { textOfHtml } from './html-text.js';
import { innerQuotesOf } from './inner-quotes.js';
import { isUnterminated } from './patterns.js';
import { quote } from './quote.js';
import { advice, describe, endOf, guess, type Report, replacement, shortExcerpt, spanOf } from './report.js';
import { decodeString, type StringProblem } from './string.js';
import type { SyntaxCode } from './syntax-codes.js';
import * as t from './tokens.js';

/**
 * Reads a value as it is spelt (§2.4, SEMANTICS 2–6, 14, 15); an invalid one is reported and read as text.
 */
export function readValue(token: IToken, report: Report): ValueNode {
  const span = spanOf(token);
  switch (token.tokenType) {
    case t.StringLiteral:
      return { kind: 'string', text: readString(token, report), span };
    case t.Integer:
      return { kind: 'integer', text: token.image, span };
    case t.Float:
      return { kind: 'float', text: token.image, span };
    case t.Duration:
      return { kind: 'duration', text: token.image, span };
    case t.BooleanLiteral:
      return { kind: 'boolean', text: token.image, span };
    case t.WrongQuotes:
      return { kind: 'string', text: readWrongQuotes(token, report), span };
    case t.HtmlString:
      return { kind: 'string', text: readHtml(token, report), span };
    case t.UnreadableValue:
      reportUnquoted(span, report);
      return { kind: 'bare', text: token.image, span };
    default:
      return { kind: 'bare', text: token.image, span };
  }
}

function readString(token: IToken, report: Report): string {
  const innerQuotes = innerQuotesOf(token);
  if (innerQuotes.length > 0) reportInnerQuotes(innerQuotes, token, report);
  const inside = token.image.slice(1, isUnterminated(token) ? undefined : -1);
  if (!inside.includes('\\')) return inside;
  const { text, problems } = decodeString(inside);
  if (problems.length > 0) {
    reportEscapes('unknown_escape', problems, token, report);
    reportEscapes('line_continuation', problems, token, report);
  }
  return text;
}

/**
 * Reports one finding for a string; if the number of quotes is odd, one of them may have been meant to
 * close it.
 */
function reportInnerQuotes(quotes: readonly number[], token: IToken, report: Report): void {
  const [first = token.startOffset] = quotes;
  const message = () => {
    const { line, column } = report.positionAt(token.startOffset);
    const more = quotes.length === 1 ? '' : ` (${quotes.length - 1} more in this string)`;
    return `this " ends the string that begins at line ${line}, column ${column}; write \\" for a quote inside a string${more}`;
  };
  const fix = {
    title: quotes.length === 1 ? 'escape the quote' : 'escape the quotes',
    edits: quotes.map((quote) => ({ span: { start: quote, end: quote }, text: '\\' })),
  };
  report.add('unescaped_quote', { start: first, end: first + 1 }, message, {
    fix: quotes.length % 2 === 0 ? fix : guess(fix),
    related: [
      { span: { start: token.startOffset, end: token.startOffset + 1 }, message: 'the string begins here' },
    ],
  });
}

function readHtml(token: IToken, report: Report): string {
  const { text, isStyleOnly } = textOfHtml(token.image);
  const title = 'write the text in double quotes';
  const written = replacement(title, spanOf(token), quote(text).replaceAll('\n', '\\n'));
  const fix = isUnterminated(token) ? advice(title) : isStyleOnly ? written : guess(written);
  const message = 'HTML-like labels are not supported; write the text as a quoted string';
  report.add('html_string', spanOf(token), message, { fix });
  return text;
}

/** Reports one finding for each string and kind: a regular expression in a command has dozens of escapes. */
function reportEscapes(
  code: StringProblem['code'],
  all: readonly StringProblem[],
  token: IToken,
  report: Report,
): void {
  const problems = all.filter((problem) => problem.code === code);
  const [first, ...others] = problems;
  if (first === undefined) return;
  const inside = token.startOffset + 1;
  const spanIn = (problem: StringProblem): Span => ({
    start: inside + problem.offset,
    end: inside + problem.offset + problem.length,
  });
  const more = others.length === 0 ? '' : ` (${others.length} more in this string)`;
  if (code === 'unknown_escape') {
    const sequence = token.image.slice(1 + first.offset, 1 + first.offset + 2);
    report.add(
      code,
      spanIn(first),
      `${sequence} is not an escape, so both characters are kept; write \\${sequence}${more}`,
      {
        fix: {
          title: 'double the backslash',
          edits: problems.map((problem) => ({
            span: { ...spanIn(problem), end: spanIn(problem).start },
            text: '\\',
          })),
        },
      },
    );
  } else {
    const message = `a backslash at the end of a line joins it with the next${more}; remove it (strings may span lines), or write \\n`;
    report.add(code, spanIn(first), message, {
      fix: {
        title: 'join the lines',
        edits: problems.map((problem) => ({ span: spanIn(problem), text: '' })),
      },
    });
  }
}

function readWrongQuotes(token: IToken, report: Report): string {
  const text = token.image.slice(1, -1);
  const span = spanOf(token);
  report.add('wrong_quotes', span, `${describe(token)} must be in straight double quotes`, {
    fix: replacement('use double quotes', span, quote(text)),
  });
  return text;
}

/** Reports a value that is only valid in quotes. */
export function reportUnquoted(span: Span, report: Report): void {
  const text = report.text.slice(span.start, span.end);
  const [reason, fix] = unquoted(text, span);
  // With a quote in it, the value may be a part of a string that ended too early.
  const details = { fix: text.includes('"') ? guess(fix) : fix };
  report.add('unquoted_value', span, `"${shortExcerpt(text)}" ${reason}`, details);
}

function unquoted(text: string, span: Span): readonly [why: string, fix: Fix] {
  if (/^-?[0-9]+\.$/.test(text)) {
    return [
      'is not a number: digits must follow the decimal point',
      replacement('add a zero', span, `${text}0`),
    ];
  }
  const inQuotes = replacement('quote the value', span, quote(text));
  if (/^-?[0-9]+[A-Za-z]+$/.test(text)) {
    return [
      'has an unknown unit: durations end in ms, s, m, h or d; quote the value if it is text',
      inQuotes,
    ];
  }
  if (/[=&|!<>]/.test(text))
    return ['must be quoted: conditions and other expressions are strings', inQuotes];
  return ['must be quoted: only words, numbers, true, false and durations can be unquoted', inQuotes];
}

/** `"a" + "b"`: reported, and read as the joined text. */
export function concatenate(
  left: ValueNode,
  plus: IToken,
  right: ValueNode | undefined,
  report: Report,
): ValueNode {
  const message = 'strings cannot be joined with +; write one string, which may span several lines';
  const span = spanOf(plus);
  const code: SyntaxCode = 'string_concatenation';
  if (right === undefined) {
    report.add(code, span, message, { fix: replacement('remove the +', span, '') });
    return { ...left, span: { start: left.span.start, end: endOf(plus) } };
  }
  const joinable =
    left.kind === 'string' && right.kind === 'string' && isQuoted(right, report) && isQuoted(left, report);
  const seam = { start: left.span.end - 1, end: right.span.start + 1 };
  report.add(code, span, message, {
    fix: joinable ? replacement('join the strings', seam, '') : advice('write one string'),
  });
  return {
    kind: 'string',
    text: left.text + right.text,
    span: { start: left.span.start, end: right.span.end },
  };
}

function isQuoted(value: ValueNode, report: Report): boolean {
  return report.text[value.span.start] === '"' && report.text[value.span.end - 1] === '"';
}
