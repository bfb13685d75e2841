import type { IOrAlt, IToken, TokenType } from 'chevrotain';

/**
 * Branch of a grammar: the next tokens of each alternative, or of an optional part. Tokens are indices into
 * the vocabulary of the parser. `null` is an alternative that any token begins.
 */
export interface Decision {
  /** Kind of branch; gates of `gated choice` are checked before the tokens. */
  readonly kind: 'choice' | 'gated choice' | 'option';
  readonly alternatives: readonly (readonly number[] | null)[];
}

/** Decisions of a grammar, each with the key under which the parser library looks it up. */
export type Decisions = readonly (readonly [key: number, decision: Decision])[];

export type Choose = (this: Reader, alternatives?: readonly IOrAlt<unknown>[]) => number | undefined;
export type Enter = (this: Reader) => boolean;

/** The part of a parser that is used here. */
export interface Reader {
  LA(howMuch: 1): IToken;
}

const none = -1;

/** Returns the index of the first alternative that begins with the next token. */
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

/** Returns true if the next token begins the optional part. */
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

/** First alternative by the number of a token type, including the types of a category. */
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
