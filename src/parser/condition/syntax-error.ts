import { type IToken, tokenMatcher } from 'chevrotain';
import type { Diagnostic, Fix } from '../../diagnostic/diagnostic.js';
import type { Span } from '../../diagnostic/source.js';
import { foundToken } from '../found-token.js';
import {
  And,
  BareLiteral,
  Comma,
  Contains,
  EqualityOperator,
  Exists,
  In,
  LeftBracket,
  LeftParen,
  Matches,
  Not,
  NotWord,
  Or,
  OrderOperator,
  QuotedText,
  RightBracket,
  RightParen,
  spanOf,
  UnknownOperator,
  UnterminatedText,
  Word,
} from './tokens.js';

export function conditionError(span: Span, message: string, fix?: Fix): Diagnostic {
  return { rule: 'condition_syntax', severity: 'error', message, span, fix };
}

/** Fix that replaces an operator of another language. */
export function writeOperator(span: Span, operator: string): Fix {
  return { title: `write "${operator}"`, edits: [{ span, text: operator }] };
}

/**
 * Describes the token at which the parser stopped, and what was expected; `tokens` are those of the whole
 * text.
 */
export function explainConditionError(token: IToken, tokens: readonly IToken[]): Diagnostic {
  const position = tokens.indexOf(token);
  const before = position === -1 ? tokens : tokens.slice(0, position);
  const place: ErrorPosition = {
    token: position === -1 ? undefined : token,
    previous: before.at(-1),
    before,
  };
  return (
    specialCase(place) ??
    conditionError(
      placeSpan(place),
      `found ${foundToken(place.token, 'condition')}; expected ${expectedText(place)}`,
    )
  );
}

interface ErrorPosition {
  /** Undefined at the end of the text. */
  readonly token: IToken | undefined;
  readonly previous: IToken | undefined;
  readonly before: readonly IToken[];
}

/** Span of the offending token; at the end of the text that of the last one. */
function placeSpan({ token, previous }: ErrorPosition): Span {
  const at = token ?? previous;
  return at === undefined ? { start: 0, end: 0 } : spanOf(at);
}

/** Explains mistakes for which there is a better message than the list of expected tokens. */
function specialCase(place: ErrorPosition): Diagnostic | undefined {
  const { token, previous, before } = place;
  if (token === undefined) {
    const open = before[openBrackets(before).at(-1) ?? -1];
    if (open === undefined || startsOperand(previous)) return undefined;
    return conditionError(
      spanOf(open),
      `"${open.image}" is not closed; expected "${open.image === '(' ? ')' : ']'}" before the end of the condition`,
    );
  }
  if (tokenMatcher(token, UnterminatedText)) {
    return conditionError(
      spanOf(token),
      is(previous, BareLiteral) ? quoteInside : 'the text that begins here has no closing double quote',
    );
  }
  if (tokenMatcher(token, QuotedText) && is(previous, BareLiteral)) {
    return conditionError(spanOf(token), quoteInside);
  }
  if (tokenMatcher(token, UnknownOperator)) return wrongOperator(token, token.image);
  if (tokenMatcher(token, RightParen) && openBrackets(before).length === 0 && !startsOperand(previous)) {
    return conditionError(spanOf(token), 'found ")" without a "(" before it');
  }
  return misusedWord(place);
}

const quoteInside =
  'found a double quote inside an unquoted value; put the whole value in double quotes and write \\" for the one inside';

/** Operators of other languages, with ours. */
const intendedOperator = new Map([
  ['===', '='],
  ['!==', '!='],
  ['<>', '!='],
  ['=>', '>='],
  ['=<', '<='],
  ['=~', 'matches'],
  ['~=', 'matches'],
  ['~', 'matches'],
  ['and', '&&'],
  ['&', '&&'],
  ['or', '||'],
  ['|', '||'],
  ['eq', '='],
  ['is', '='],
  ['equals', '='],
  ['ne', '!='],
  ['gt', '>'],
  ['gte', '>='],
  ['ge', '>='],
  ['lt', '<'],
  ['lte', '<='],
  ['le', '<='],
  ['has', 'contains'],
  ['includes', 'contains'],
  ['regex', 'matches'],
  ['match', 'matches'],
]);

function wrongOperator(token: IToken, word: string): Diagnostic {
  const intended = intendedOperator.get(word.toLowerCase());
  // The text after an operator that is a word may have to change with it.
  const fix =
    intended === undefined || /[a-z]/.test(intended) ? undefined : writeOperator(spanOf(token), intended);
  return conditionError(
    spanOf(token),
    `"${token.image}" is not an operator; write "${intended ?? '='}"`,
    fix,
  );
}

function misusedWord({ token, previous, before }: ErrorPosition): Diagnostic | undefined {
  if (token === undefined || !tokenMatcher(token, Word) || previous === undefined) return undefined;
  if (previous.image.toLowerCase() === 'not' && startsOperand(before.at(-2))) {
    return conditionError(
      spanOf(previous),
      `"${previous.image}" is not an operator here; write "!" before a clause`,
    );
  }
  return !startsOperand(previous) && intendedOperator.has(token.image.toLowerCase())
    ? wrongOperator(token, token.image)
    : undefined;
}

const literalHint = 'a value (write "" for the empty text)';

function expectedText({ previous, before }: ErrorPosition): string {
  const open = before[openBrackets(before).at(-1) ?? -1];
  if (previous === undefined || is(previous, And) || is(previous, Or) || is(previous, LeftParen)) {
    return 'a clause such as "outcome=success"';
  }
  if (is(previous, Not)) return 'a clause or "(" after "!"';
  if (is(previous, EqualityOperator)) return `${literalHint} after "${previous.image}"`;
  if (is(previous, Exists)) return 'a key after "exists"';
  if (is(previous, NotWord)) return '"in" after "not"';
  if (is(previous, LeftBracket) || is(previous, Comma)) return 'an item of the list';
  if (is(previous, Matches)) return 'a regular expression in double quotes after "matches"';
  if (isTypedOperator(previous)) return `a key, a number, a text or a list after "${previous.image}"`;
  if (is(open, LeftBracket)) return '"," or "]"';
  const next = is(open, LeftParen) ? '"&&", "||" or ")"' : '"&&", "||" or the end of the condition';
  if (is(previous, Word) && isTypedOperator(before.at(-2)))
    return `${next} (put a text of several words in double quotes)`;
  return hasOperator(before) ? next : `an operator such as "=", ${next}`;
}

/** True if an operand has to follow at the token, so that the clause before is incomplete. */
function startsOperand(token: IToken | undefined): boolean {
  return (
    token === undefined ||
    [And, Or, Not, LeftParen, LeftBracket, Comma, EqualityOperator].some((type) => is(token, type)) ||
    isTypedOperator(token)
  );
}

function isTypedOperator(token: IToken | undefined): boolean {
  return [OrderOperator, In, Contains, Matches].some((type) => is(token, type));
}

/** True if the last clause has its operator (or needs none) already. */
function hasOperator(before: readonly IToken[]): boolean {
  for (const token of before.toReversed()) {
    if ([And, Or, LeftParen].some((type) => is(token, type))) return false;
    const complete = [EqualityOperator, RightParen, RightBracket, Exists].some((type) => is(token, type));
    if (complete || isTypedOperator(token)) return true;
  }
  return false;
}

/** Positions of the brackets that are open at the end of `before`, outermost first. */
function openBrackets(before: readonly IToken[]): readonly number[] {
  const open: number[] = [];
  for (const [position, token] of before.entries()) {
    if (is(token, LeftParen) || is(token, LeftBracket)) open.push(position);
    else if (is(token, RightParen) || is(token, RightBracket)) open.pop();
  }
  return open;
}

function is(token: IToken | undefined, type: Parameters<typeof tokenMatcher>[1]): boolean {
  return token !== undefined && tokenMatcher(token, type);
}
