import type { IToken, TokenType } from 'chevrotain';
import { keywords } from './patterns.js';
import { decodeString } from './string.js';
import * as t from './tokens.js';

/** True if a token is a valid id. */
export function isSound(token: IToken): boolean {
  return (token.tokenType === t.Word || !isKeyword(token)) && hasIdentifierForm(token.image);
}

/**
 * True for a letter or `_`, followed by letters, digits and `_`; without a regular expression, because it
 * checks every id and key.
 */
export function hasIdentifierForm(text: string): boolean {
  const { length } = text;
  if (length === 0 || isIdentifierPart[text.charCodeAt(0)] !== 2) return false;
  for (let index = 1; index < length; index += 1) {
    if ((isIdentifierPart[text.charCodeAt(index)] ?? 0) === 0) return false;
  }
  return true;
}

/** 2 for characters that may begin an identifier, 1 for those that may follow. */
const isIdentifierPart = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[A-Za-z_]/.test(character) ? 2 : /[0-9]/.test(character) ? 1 : 0;
});

/** True if a token is a word of the language; a node with the same quoted id is not. */
export function isKeyword({ tokenType }: IToken): boolean {
  return tokenType !== t.Word && KEYWORD_TYPES.has(tokenType);
}

const KEYWORD_TYPES: ReadonlySet<TokenType> = new Set([
  t.Digraph,
  t.GraphKeyword,
  t.NodeKeyword,
  t.EdgeKeyword,
  t.Subgraph,
]);

/** Text of a token, without the quotes around it. */
export function tokenText(token: IToken): string {
  if (token.tokenType === t.StringLiteral) return decodeString(token.image.slice(1, -1)).text;
  return token.tokenType === t.WrongQuotes ? token.image.slice(1, -1) : token.image;
}

/** Suggested id for a text without a single letter that an id may have. */
export const unnamed = 'unnamed';

/** True if a text is a valid id. */
export function isIdentifier(text: string): boolean {
  return hasIdentifierForm(text) && !keywords.has(text);
}

/** Identifier nearest to a text: `my-node` gives `my_node`, `3rd try` gives `n3rd_try`. */
export function suggestIdentifier(text: string): string {
  const ascii = text.slice(0, 200).normalize('NFD').replace(/\p{M}/gu, '');
  const words = ascii.replace(/[^A-Za-z0-9_]+/g, '_').replace(/^_+|_+$/g, '');
  const candidate = hasIdentifierForm(text) ? text : words;
  if (candidate === '') return unnamed;
  if (keywords.has(candidate)) return `my_${candidate}`;
  return /^[0-9]/.test(candidate) ? `n${candidate}` : candidate;
}
