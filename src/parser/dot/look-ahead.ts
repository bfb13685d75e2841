import { EOF, type IToken, type TokenType, tokenMatcher } from 'chevrotain';
import * as t from './tokens.js';

// The grammar decides by one token (§2.2); if that is not enough, these functions look further ahead.

/** Returns the next token (1), or a later one. */
type Look = (howMuch: number) => IToken;

/** True at the beginning of a graph: `digraph`, or something like it with a `{` near. */
export function beginsGraph(lookAhead: Look): boolean {
  const token = lookAhead(1);
  if (token.tokenType === t.Digraph) return true;
  if (!tokenMatcher(token, t.Name)) return false;
  const next = lookAhead(2);
  if (next.tokenType === t.LCurly) return true;
  return isGraphKeyword(token) && tokenMatcher(next, t.Name) && lookAhead(3).tokenType === t.LCurly;
}

/** `digraph`, `graph`, and both in capital letters. */
export function isGraphKeyword(token: IToken): boolean {
  if (token.tokenType === t.Digraph || token.tokenType === t.GraphKeyword) return true;
  const word = token.tokenType === t.Word ? token.image.toLowerCase() : '';
  return word === 'digraph' || word === 'graph';
}

const BLOCK_ENDS: ReadonlySet<TokenType> = new Set([EOF, t.LSquare, t.RSquare, t.LCurly, t.RCurly]);

/**
 * False at the end of a block of attributes, or at a statement that begins because the `]` is missing.
 * @param continuesValue returns true if an arrow here belongs to a value
 */
export function isInBlock(token: IToken, afterwards: IToken, continuesValue: () => boolean): boolean {
  const { tokenType } = token;
  const next = afterwards.tokenType;
  if (tokenType === t.Word && next === t.Equals) return true;
  // `[x=a->b]` is a value that lacks its quotes, `[x=a -> b` a block that lacks its bracket.
  if (tokenType === t.Arrow) return continuesValue();
  if (BLOCK_ENDS.has(tokenType)) return false;
  if (next === t.Equals || tokenType === t.Subgraph || !tokenMatcher(token, t.Key)) return true;
  return next !== t.Arrow && next !== t.LSquare && next !== t.LCurly;
}

/** Number of closing braces minus opening ones. */
export function countSurplusBraces(tokens: readonly IToken[]): number {
  let surplus = 0;
  for (const { tokenType } of tokens) {
    if (tokenType === t.RCurly) surplus += 1;
    else if (tokenType === t.LCurly) surplus -= 1;
  }
  return surplus;
}
