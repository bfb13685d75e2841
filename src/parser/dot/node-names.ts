import { type IToken, type TokenType, tokenMatcher } from 'chevrotain';
import { isIdentifier, isKeyword, suggestIdentifier, tokenText } from './identifier.js';
import * as t from './tokens.js';

/** Identifiers for the nodes of a text, for every mention of them (SEMANTICS 11). */
export interface NodeNames {
  /** Name of a token; the same text gives the same name, and two texts never share one. */
  nameOf(token: IToken): string;
  /**
   * Offset at which a text that is not an identifier is declared as a node; undefined if only edges mention
   * it.
   */
  declarationOf(token: IToken): number | undefined;
  /** Names of the texts that are not identifiers, by the text. */
  renamed(): ReadonlyMap<string, string>;
}

/** @param tokens of the whole text; they are searched only if an id is not an identifier */
export function createNodeNames(tokens: readonly IToken[]): NodeNames {
  let mentioned: Mentioned | undefined;
  const names = new Map<string, string>();
  /** Last number of a name, by its words. */
  const latest = new Map<string, number>();

  function invent(text: string, usedNames: Set<string>): string {
    const base = suggestIdentifier(text);
    let number = latest.get(base) ?? 1;
    let name = number === 1 ? base : `${base}_${number}`;
    while (usedNames.has(name)) {
      number += 1;
      name = `${base}_${number}`;
    }
    latest.set(base, number);
    usedNames.add(name);
    return name;
  }

  return {
    renamed: () => names,
    nameOf(token) {
      const text = tokenText(token);
      if (isIdentifier(text)) return text;
      const existing = names.get(text);
      if (existing !== undefined) return existing;
      mentioned ??= mentionedIn(tokens);
      const name = invent(text, mentioned.identifiers);
      names.set(text, name);
      return name;
    },
    declarationOf(token) {
      mentioned ??= mentionedIn(tokens);
      return mentioned.declarations.get(tokenText(token));
    },
  };
}

interface Mentioned {
  /** Valid ids in the text. */
  readonly identifiers: Set<string>;
  /** Texts in the place of an id that are not identifiers, with the offset of their own statement. */
  readonly declarations: ReadonlyMap<string, number>;
}

function mentionedIn(tokens: readonly IToken[]): Mentioned {
  const identifiers = new Set<string>();
  const declarations = new Map<string, number>();
  let isInBlock = false;
  for (const [index, token] of tokens.entries()) {
    const { tokenType } = token;
    if (tokenType === t.LSquare || tokenType === t.RSquare) isInBlock = tokenType === t.LSquare;
    if (!tokenMatcher(token, t.Name)) continue;
    const before = tokens[index - 1];
    const next = tokens[index + 1];
    const isKeyOrValue = is(next, t.Equals) || is(before, t.Equals) || is(before, t.Colon);
    if (isKeyOrValue) continue;
    const text = tokenText(token);
    if (isIdentifier(text)) identifiers.add(text);
    else if (!isInBlock && !isKeyword(token) && !declarations.has(text) && isAlone(before, next)) {
      declarations.set(text, token.startOffset);
    }
  }
  return { identifiers, declarations };
}

/** True if a name is a whole statement: neither in an edge nor before a block of statements. */
function isAlone(before: IToken | undefined, next: IToken | undefined): boolean {
  const isInEdge = is(before, t.EdgeOperator) || is(next, t.EdgeOperator);
  return !isInEdge && !is(next, t.LCurly) && !is(next, t.Colon);
}

function is(token: IToken | undefined, type: TokenType): boolean {
  return token !== undefined && tokenMatcher(token, type);
}
