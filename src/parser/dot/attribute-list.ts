import { EOF, type IToken } from 'chevrotain';
import type { Span } from '../../diagnostic/source.js';
import type { AttributeNode, ValueNode } from './ast.js';
import { readKey } from './names.js';
import { describe, endOf, isSameLine, type Report, replacement, spanOf } from './report.js';
import * as t from './tokens.js';
import { reportUnquoted } from './values.js';

export interface AttributeBlock {
  readonly attributes: readonly AttributeNode[];
  readonly span: Span;
  /** False if the closing `]` is missing or something before it is wrong. */
  readonly sound: boolean;
}

/** Preceding part of the next item in a block. */
type Before = 'start' | 'attribute' | 'comma' | 'semicolon' | 'mistake';

/** Builds one attribute block at a time from the parts that the parser finds between `[` and `]`. */
export interface AttributeList {
  open(bracket: IToken): void;
  /** `key = value`; `equals` and `value` are undefined if the author left them out. */
  attribute(key: IToken, equals: IToken | undefined, value: ValueNode | undefined): void;
  separator(token: IToken): void;
  junk(token: IToken): void;
  /**
   * Closes the block. `bracket` is missing, or another sign than `]`, in a block that is not closed; `next`
   * is the token in its place.
   */
  close(bracket: IToken | undefined, next: IToken): AttributeBlock;
  /**
   * True if a token at this offset, at most `distance` characters away, can only continue a bare value:
   * `label=Hello World`.
   */
  continuesValue(offset: number, distance?: number): boolean;
}

export function createAttributeList(report: Report): AttributeList {
  let attributes: AttributeNode[] = [];
  let start: IToken;
  let before: Before = 'start';
  let separatorToken: IToken;
  let lastEnd = 0;
  /** End of a value of several words that should have been quoted, and true if it ends in a sign. */
  let run: { end: number; endsInSign: boolean } | undefined;
  let sound = true;

  function continuesValue(offset: number, distance = 200): boolean {
    const value = attributes.at(-1)?.value;
    return (
      before === 'attribute' &&
      value !== undefined &&
      report.text[value.span.start] !== '"' &&
      offset - lastEnd <= distance &&
      isSameLine(report.text, lastEnd, offset)
    );
  }

  function extendRun(end: number, endsInSign: boolean): void {
    run = { end, endsInSign };
    lastEnd = end;
  }

  function finishRun(): void {
    if (run === undefined) return;
    const last = attributes.at(-1);
    if (last === undefined) return;
    const span = { start: last.value.span.start, end: run.end };
    run = undefined;
    report.withdraw('unquoted_value', span.start);
    reportUnquoted(span, report);
    const value: ValueNode = { kind: 'bare', text: report.text.slice(span.start, span.end), span };
    attributes[attributes.length - 1] = { ...last, value, span: { start: last.span.start, end: span.end } };
  }

  function checkSeparator(next: IToken): void {
    if (before === 'attribute') {
      const insertion = { start: lastEnd, end: lastEnd };
      report.add(
        'missing_comma',
        insertion,
        () => `attributes are separated by commas; one is missing before ${describe(next)}`,
        {
          fix: replacement('insert a comma', insertion, ','),
        },
      );
    } else if (before === 'semicolon') {
      const separatorSpan = spanOf(separatorToken);
      report.add('missing_comma', separatorSpan, 'attributes are separated by commas, found ";"', {
        fix: replacement('write a comma', separatorSpan, ','),
      });
    }
  }

  return {
    continuesValue,
    open(bracket) {
      attributes = [];
      start = bracket;
      before = 'start';
      lastEnd = endOf(bracket);
      run = undefined;
      sound = true;
    },
    attribute(key, equals, value) {
      const end = value?.span.end ?? endOf(equals ?? key);
      if ((value === undefined || run?.endsInSign === true) && continuesValue(key.startOffset)) {
        extendRun(end, false);
        return;
      }
      finishRun();
      if (before === 'attribute' && equals === undefined && key.tokenType === t.StringLiteral) {
        reportSecondString(key, report);
        lastEnd = end;
        return;
      }
      checkSeparator(key);
      const name = readKey(key, report);
      if (value !== undefined) attributes.push({ key: name, value, span: { start: key.startOffset, end } });
      else if (equals === undefined) reportValueless(key, report);
      before = value === undefined ? 'mistake' : 'attribute';
      lastEnd = end;
    },
    separator(token) {
      finishRun();
      if (before === 'start' || before === 'comma' || before === 'semicolon') {
        sound = false;
        report.add('stray_comma', spanOf(token), `no attribute comes before this ${describe(token)}`, {
          fix: replacement('remove it', spanOf(token), ''),
        });
        return;
      }
      before = token.tokenType === t.Comma ? 'comma' : 'semicolon';
      separatorToken = token;
    },
    junk(token) {
      sound = false;
      if (continuesValue(token.startOffset)) {
        extendRun(endOf(token), token.tokenType !== t.BareWord);
        return;
      }
      finishRun();
      reportJunk(token, 'an attribute, "," or "]"', report);
      before = 'mistake';
      lastEnd = endOf(token);
    },
    close(bracket, next) {
      finishRun();
      if (before === 'comma' || before === 'semicolon') {
        sound = false;
        const separatorSpan = spanOf(separatorToken);
        report.add(
          'trailing_comma',
          separatorSpan,
          `no attribute follows this ${describe(separatorToken)}; remove it`,
          {
            fix: replacement('remove it', separatorSpan, ''),
          },
        );
        lastEnd = separatorSpan.end;
      }
      if (bracket?.tokenType !== t.RSquare) {
        sound = false;
        reportUnclosed(start, bracket, next, lastEnd, report);
      }
      const end = bracket === undefined ? lastEnd : endOf(bracket);
      // A copy, because arrays filled by push keep spare capacity, which adds up in a large tree.
      return { attributes: attributes.slice(), span: { start: start.startOffset, end }, sound };
    },
  };
}

function reportValueless(key: IToken, report: Report): void {
  report.add('missing_value', spanOf(key), `the attribute ${describe(key)} has no value; write key=value`);
}

function reportSecondString(token: IToken, report: Report): void {
  const message = `found the string ${describe(token)} after a value; expected "," or "]"; strings cannot be joined`;
  report.add('string_concatenation', spanOf(token), message);
}

function reportUnclosed(
  open: IToken,
  bracket: IToken | undefined,
  next: IToken,
  lastEnd: number,
  report: Report,
): void {
  if (next.tokenType === EOF && report.isEndLost) return;
  const closingSpan = bracket === undefined ? { start: lastEnd, end: lastEnd } : spanOf(bracket);
  const found = describe(bracket ?? next);
  report.add('unclosed_bracket', spanOf(open), `this "[" is not closed: expected "]" before ${found}`, {
    fix: replacement(bracket === undefined ? 'insert "]"' : 'write "]"', closingSpan, ']'),
    related: [{ span: closingSpan, message: `"]" expected here` }],
  });
}

/** Reports a token that begins neither a statement nor an attribute. */
export function reportJunk(token: IToken, expected: string, report: Report): void {
  const span = spanOf(token);
  const isText = /[\p{L}\p{N}=:+,\]]/u.test(token.image);
  if (isText) {
    report.addUnlessSameLine('unexpected_token', span, `found ${describe(token)}, expected ${expected}`);
  } else {
    const code = (token.image.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const character = `the character ${describe(token)} (U+${code})`;
    report.addUnlessSameLine('unexpected_character', span, `found ${character}, expected ${expected}`);
  }
}
