import type { IOrAlt, IToken, TokenType } from 'chevrotain';

/**
 * Where a grammar branches: by which next token each alternative is taken, or, of something optional, whether it is there.
 * Tokens are places in the vocabulary of the parser. `null` is an alternative that any token begins.
 */
export interface Decision {
  /** Gated alternatives are asked for before their tokens. */
  readonly kind: 'choice' | 'gated choice' | 'option';
  readonly alternatives: readonly (readonly number[] | null)[];
}

/** All decisions of a grammar, each with the key under which the parser library looks it up. */
export type Decisions = readonly (readonly [key: number, decision: Decision])[];

export type Choose = (this: Reader, alternatives?: readonly IOrAlt<unknown>[]) => number | undefined;
export type Enter = (this: Reader) => boolean;

/** What is used of a parser here. */
export interface Reader {
  LA(howMuch: 1): IToken;
}

const none = -1;

/** The number of the first alternative that begins with the next token. */
export function chooser({ kind, alternatives }: Decision, vocabulary: readonly TokenType[]): Choose {
  if (kind === 'gated choice') return gatedChooser(alternatives, vocabulary);
  const byToken = firstByToken(alternatives, vocabulary);
  const otherwise = alternatives.indexOf(null);
  return function choose() {
    const chosen = byToken[this.LA(1).tokenTypeIdx] ?? none;
    if (chosen !== none) return chosen;
    return otherwise === none ? undefined : otherwise;
  };
}

/** Whether the next token begins what is optional. */
export function optionTest({ alternatives }: Decision, vocabulary: readonly TokenType[]): Enter {
  if (alternatives.includes(null)) return () => true;
  const byToken = firstByToken(alternatives, vocabulary);
  return function isThere() {
    return byToken[this.LA(1).tokenTypeIdx] === 0;
  };
}

function gatedChooser(alternatives: Decision['alternatives'], vocabulary: readonly TokenType[]): Choose {
  const tests = alternatives.map((tokens) =>
    optionTest({ kind: 'option', alternatives: [tokens] }, vocabulary),
  );
  return function choose(options = []) {
    const chosen = tests.findIndex((test, index) => {
      const gate = options[index]?.GATE;
      return gate?.call(this) !== false && test.call(this);
    });
    return chosen === none ? undefined : chosen;
  };
}

/** By the number of a type of token, those included that belong to a category. */
function firstByToken(alternatives: Decision['alternatives'], vocabulary: readonly TokenType[]): Int8Array {
  const numbers = vocabulary.map(({ tokenTypeIdx = 0 }) => tokenTypeIdx);
  const byToken = new Int8Array(Math.max(...numbers) + 1).fill(none);
  const firstEmpty = alternatives.indexOf(null);
  const reachable = firstEmpty === none ? alternatives : alternatives.slice(0, firstEmpty);
  for (const [index, tokens] of reachable.entries()) {
    for (const token of tokens ?? []) {
      const { tokenTypeIdx = 0, categoryMatches = [] } = vocabulary[token] ?? {};
      for (const number of [tokenTypeIdx, ...categoryMatches]) {
        if (byToken[number] === none) byToken[number] = index;
      }
    }
  }
  return byToken;
}
