import { EOF, type IToken, type TokenType, tokenMatcher } from 'chevrotain';
import { endsTooEarly } from './inner-quotes.js';
import { isUnterminated } from './patterns.js';
import { endOf } from './report.js';
import type { LexedText } from './tokenize.js';
import * as t from './tokens.js';

/**
 * Start of the first statement in which a string seems to end too early; undefined if none does. From there
 * on, prose may have been read as attributes and attributes as prose, so that no fix is safe.
 */
export function doubtfulFrom({ tokens, comments, hashes }: LexedText, text: string): number | undefined {
  const quoted = [
    ...comments.filter(({ image }) => hasHalfAQuotation(image)),
    ...hashes.filter(({ image }) => image.includes('"')),
  ];
  const inComment = quoted.reduce((first, { startOffset }) => Math.min(first, startOffset), text.length);
  let bracket: IToken | undefined;
  let latest: IToken | undefined;
  for (const [index, token] of tokens.entries()) {
    if (token.startOffset > inComment) break;
    const { tokenType } = token;
    if (tokenType === t.LSquare) bracket = token;
    else if (tokenType === t.RSquare) bracket = undefined;
    else if (isDoubtful(tokens, index, bracket !== undefined, text)) return (bracket ?? token).startOffset;
    latest = token;
  }
  return inComment === text.length ? undefined : (bracket ?? latest)?.startOffset;
}

/**
 * True for a comment with an odd number of quotes, which a string like `see "http://…"` leaves if it ends
 * too early.
 */
function hasHalfAQuotation(comment: string): boolean {
  return comment.split('"').length % 2 === 0;
}

function isDoubtful(tokens: readonly IToken[], index: number, isInBlock: boolean, text: string): boolean {
  const token = tokens[index] ?? END;
  if (token.tokenType === t.UnreadableValue) return token.image.includes('"');
  if (token.tokenType !== t.StringLiteral) return false;
  if (isUnterminated(token)) return true;
  const before = tokens[index - 1] ?? END;
  if (!tokenMatcher(before, t.Joiner) && before.tokenType !== t.Plus)
    return isInBlock && !isKey(tokens, index);
  return endsTooEarly(text, token) || !followsValue(tokens, index, isInBlock, text);
}

/** True if a string is a key, or a value whose sign is missing, judged by the tokens before it. */
function isKey(tokens: readonly IToken[], index: number): boolean {
  const [beforeName = END, before = END] = tokens.slice(Math.max(0, index - 2), index);
  if (BEFORE_KEY.has(before.tokenType) || tokens[index + 1]?.image === '=') return true;
  return tokenMatcher(before, t.Name) && BEFORE_KEY.has(beforeName.tokenType);
}

const BEFORE_KEY: ReadonlySet<TokenType> = new Set([t.LSquare, t.Comma, t.Semicolon]);

/** True if the token after a string can follow a value, apart from missing commas and semicolons. */
function followsValue(tokens: readonly IToken[], index: number, isInBlock: boolean, text: string): boolean {
  const [token = END, next = END, second = END, third = END] = tokens.slice(index, index + 4);
  const before = tokens[index - 1];
  const joiner = before?.tokenType === t.Colon ? ':' : '=';
  switch (next.tokenType) {
    case t.Comma:
      return isInBlock && (second.tokenType === t.RSquare || isKeyed(second, third, joiner));
    case t.Semicolon:
      return isInBlock ? isKeyed(second, third, joiner) : beginsStatement(next, second, third, text);
    case t.Plus:
      return second.tokenType === t.StringLiteral;
    case t.RSquare:
      return isInBlock && beginsStatement(next, second, third, text);
    case t.RCurly:
    case EOF:
      return !isInBlock && beginsStatement(next, second, third, text);
    default:
      if (next.startOffset === endOf(token)) return false;
      return isKeyed(next, second, joiner) || (!isInBlock && beginsStatement(token, next, second, text));
  }
}

/**
 * True for a key with the same sign as the value before; a key without it (`key "text"`) may be prose
 * before another quote.
 */
function isKeyed(key: IToken, joiner: IToken, usual: string): boolean {
  return tokenMatcher(key, t.Key) && joiner.image === usual;
}

const BETWEEN_STATEMENTS: ReadonlySet<TokenType> = new Set([
  EOF,
  t.Semicolon,
  t.RCurly,
  t.LSquare,
  t.Subgraph,
]);

/** True if a token begins a statement after another one, or ends a block. */
function beginsStatement(before: IToken, token: IToken, next: IToken, text: string): boolean {
  if (BETWEEN_STATEMENTS.has(token.tokenType) || isOnNewLine(before, token, text)) return true;
  if (!tokenMatcher(token, t.Name) || token.tokenType === t.StringLiteral) return false;
  const { tokenType } = next;
  return (
    tokenMatcher(next, t.EdgeOperator) ||
    tokenMatcher(next, t.Joiner) ||
    BETWEEN_STATEMENTS.has(tokenType) ||
    isOnNewLine(token, next, text)
  );
}

function isOnNewLine(token: IToken, next: IToken, text: string): boolean {
  return /[\r\n]/.test(text.slice(endOf(token), next.startOffset));
}

const END: IToken = { image: '', startOffset: 0, tokenType: EOF, tokenTypeIdx: EOF.tokenTypeIdx ?? 0 };
