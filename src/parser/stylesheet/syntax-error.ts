import { type IToken, tokenMatcher } from 'chevrotain';
import type { Diagnostic } from '../../diagnostic/diagnostic.js';
import type { Span } from '../../diagnostic/source.js';
import { foundToken } from '../found-token.js';
import {
  Assign,
  BareValue,
  ClassName,
  Comma,
  LeftBrace,
  NodeId,
  QuotedValue,
  RightBrace,
  Semicolon,
  spanOf,
  Universal,
  UnterminatedComment,
  UnterminatedValue,
  Word,
} from './tokens.js';

export function stylesheetError(span: Span, message: string): Diagnostic {
  return { rule: 'stylesheet_syntax', severity: 'error', message, span };
}

/**
 * Describes the token at which the parser stopped, and what was expected; `tokens` are those of the whole
 * text.
 */
export function explainStylesheetError(token: IToken, tokens: readonly IToken[]): Diagnostic {
  const position = tokens.indexOf(token);
  const before = position === -1 ? tokens : tokens.slice(0, position);
  const lastBrace = before.findLast((brace) => is(brace, LeftBrace) || is(brace, RightBrace));
  const open = is(lastBrace, LeftBrace) ? lastBrace : undefined;
  const place: ErrorPosition = { token: position === -1 ? undefined : token, previous: before.at(-1), open };
  return specialCase(place) ?? generalCase(place);
}

interface ErrorPosition {
  /** Undefined at the end of the text. */
  readonly token: IToken | undefined;
  readonly previous: IToken | undefined;
  /** Brace of the surrounding rule. */
  readonly open: IToken | undefined;
}

function generalCase(place: ErrorPosition): Diagnostic {
  // At the end of the text, the last token is marked.
  const at = place.token ?? place.previous;
  return stylesheetError(
    at === undefined ? { start: 0, end: 0 } : spanOf(at),
    `found ${foundToken(place.token, 'stylesheet')}; expected ${expectedText(place)}`,
  );
}

/** Explains mistakes for which there is a better message than the list of expected tokens. */
function specialCase({ token, previous, open }: ErrorPosition): Diagnostic | undefined {
  if (token === undefined) {
    if (open === undefined || !isValue(previous)) return undefined;
    return stylesheetError(
      spanOf(open),
      'the rule that begins here is not closed; expected "}" before the end of the stylesheet',
    );
  }
  if (is(token, UnterminatedComment)) {
    return stylesheetError(spanOf(token), 'the comment that begins here has no closing "*/"');
  }
  if (is(token, UnterminatedValue)) {
    return stylesheetError(spanOf(token), 'the value that begins here has no closing quote');
  }
  if (token.image === '//') {
    return stylesheetError(spanOf(token), 'found "//"; comments in a stylesheet are written /* … */');
  }
  if (open === undefined && isSelector(previous) && (is(token, Comma) || isSelector(token))) {
    return stylesheetError(
      spanOf(token),
      `found "${token.image}" after the selector "${previous?.image}"; selectors cannot be combined; write a separate rule for each`,
    );
  }
  if (is(previous, LeftBrace) && is(token, RightBrace)) {
    return stylesheetError(
      spanOf(token),
      'found a rule without declarations; expected at least one, such as "llm_model: some-model"',
    );
  }
  return undefined;
}

function expectedText({ previous, open }: ErrorPosition): string {
  if (open === undefined) {
    return isSelector(previous)
      ? `"{" after the selector "${previous?.image}"`
      : 'a selector: "*", a shape, ".class" or "#id"';
  }
  if (is(previous, Assign)) return 'a value';
  if (isValue(previous)) return '";" or "}" after the value';
  if (is(previous, Word)) return `":" and a value after the property "${previous?.image}"`;
  return is(previous, Semicolon) ? 'a property or "}"' : 'a property such as "llm_model"';
}

function isSelector(token: IToken | undefined): boolean {
  return [Universal, ClassName, NodeId, Word].some((type) => is(token, type));
}

function isValue(token: IToken | undefined): boolean {
  return is(token, BareValue) || is(token, QuotedValue);
}

function is(token: IToken | undefined, type: Parameters<typeof tokenMatcher>[1]): boolean {
  return token !== undefined && tokenMatcher(token, type);
}
