import { type IToken, Lexer } from 'chevrotain';
import { forLongTexts } from '../lexer-config.js';
import { DoubtfulString, StringLiteral, tokenTypes } from './tokens.js';

/** Tokens of a text; comments and unusual blanks are kept apart from the tokens that the parser reads. */
export interface LexedText {
  readonly tokens: IToken[];
  readonly comments: readonly IToken[];
  /** `# …`, which begins no comment. */
  readonly hashes: readonly IToken[];
  /** Blanks other than those of ASCII. */
  readonly blanks: readonly IToken[];
}

/**
 * Splits a text into tokens (§2.2, §2.3). Every character belongs to one, because the last type takes any
 * text.
 */
export function tokenize(text: string): LexedText {
  return lex(text, usualLexer());
}

/** Splits a text with errors again, with strings that may hold unescaped quotes. */
export function tokenizeWithInnerQuotes(text: string): LexedText {
  const lexed = lex(text, doubtfulLexer());
  for (const token of lexed.tokens) {
    if (token.tokenType !== DoubtfulString) continue;
    token.tokenType = StringLiteral;
    token.tokenTypeIdx = StringLiteral.tokenTypeIdx ?? token.tokenTypeIdx;
  }
  return lexed;
}

function lex(text: string, lexer: Lexer): LexedText {
  const { tokens, groups } = lexer.tokenize(text);
  const { comments = [], hashes = [], blanks = [] } = groups;
  return { tokens, comments, hashes, blanks };
}

// Built on first use, because each takes some milliseconds.

const usualLexer = once(() => new Lexer([...tokenTypes], forLongTexts));
const doubtfulLexer = once(
  () =>
    new Lexer(
      tokenTypes.map((type) => (type === StringLiteral ? DoubtfulString : type)),
      forLongTexts,
    ),
);

function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
