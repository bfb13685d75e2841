import { type IToken, Lexer, type TokenType } from 'chevrotain';
import type { Span } from '../../diagnostic/source.js';
import { tokenType } from '../token-type.js';
import { wordPattern } from './words.js';

/*
 * Tokens of the condition language (§10, SEMANTICS §12). The words of the language are also ordinary words,
 * so that `context.in=1` and a key called `exists` work. The right side of `=` and `!=` is one token,
 * whatever its text.
 */

export const Word = tokenType({ name: 'Word', pattern: wordPattern });

export const True = word('True', 'true');
export const False = word('False', 'false');
export const Exists = word('Exists', 'exists');
export const In = word('In', 'in');
export const NotWord = word('NotWord', 'not');
export const Contains = word('Contains', 'contains');
export const Matches = word('Matches', 'matches');

/** `=`, `!=` and `==`: a literal up to the end of the clause follows. */
export const EqualityOperator = tokenType({ name: 'EqualityOperator', pattern: Lexer.NA });
const DoubleEquals = tokenType({
  name: 'DoubleEquals',
  pattern: '==',
  categories: EqualityOperator,
});
const NotEquals = tokenType({ name: 'NotEquals', pattern: '!=', categories: EqualityOperator });
const Equals = tokenType({ name: 'Equals', pattern: '=', categories: EqualityOperator });

/** `<`, `<=`, `>` and `>=` */
export const OrderOperator = tokenType({ name: 'OrderOperator', pattern: /[<>]=?/ });

export const And = tokenType({ name: 'And', pattern: '&&' });
export const Or = tokenType({ name: 'Or', pattern: '||' });
export const Not = tokenType({ name: 'Not', pattern: '!' });
export const LeftParen = tokenType({ name: 'LeftParen', pattern: '(' });
export const RightParen = tokenType({ name: 'RightParen', pattern: ')' });
export const LeftBracket = tokenType({ name: 'LeftBracket', pattern: '[' });
export const RightBracket = tokenType({ name: 'RightBracket', pattern: ']' });
export const Comma = tokenType({ name: 'Comma', pattern: ',' });

/** Within quotes only `\"` and `\\` are escapes, so that a regular expression reads as it is written. */
export const QuotedText = tokenType({
  name: 'QuotedText',
  pattern: /"[^"\\]*(?:\\[\s\S][^"\\]*)*"/,
  line_breaks: true,
});

/** The unquoted right side of `=` or `!=`, blanks, operators and balanced parentheses included. */
export const BareLiteral = tokenType({
  name: 'BareLiteral',
  pattern: { exec: matchBareLiteral },
  line_breaks: true,
});

/** No rule accepts the following two; they exist to be named in a message. */
export const UnterminatedText = tokenType({
  name: 'UnterminatedText',
  pattern: /"[\s\S]*/,
  line_breaks: true,
});
export const UnknownOperator = tokenType({
  name: 'UnknownOperator',
  pattern: /===|!==|<>|=>|=<|=~(?=\s)/,
});

const Blanks = tokenType({ name: 'Blanks', pattern: /\s+/, group: Lexer.SKIPPED, line_breaks: true });

/** Token types in the order in which the lexer tries them. */
export const conditionTokens: readonly TokenType[] = [
  Blanks,
  QuotedText,
  BareLiteral,
  UnterminatedText,
  UnknownOperator,
  And,
  Or,
  DoubleEquals,
  NotEquals,
  Equals,
  OrderOperator,
  Not,
  LeftParen,
  RightParen,
  LeftBracket,
  RightBracket,
  Comma,
  True,
  False,
  Exists,
  In,
  NotWord,
  Contains,
  Matches,
  Word,
  EqualityOperator,
];

export function spanOf(token: IToken): Span {
  return { start: token.startOffset, end: token.startOffset + token.image.length };
}

function word(name: string, text: string): TokenType {
  return tokenType({ name, pattern: text, longer_alt: Word, categories: Word });
}

/**
 * Matches up to `&&`, `||`, an unmatched `)`, a double quote or the end of the text; blanks around it do
 * not belong to it.
 */
function matchBareLiteral(text: string, offset: number, matched: readonly IToken[]): [string] | null {
  const operator = matched.at(-1)?.tokenType.CATEGORIES?.includes(EqualityOperator) ?? false;
  if (!operator || text[offset] === '=') return null;
  let depth = 0;
  let end = offset;
  for (; end < text.length; end += 1) {
    const character = text[end];
    if (character === '"') break;
    if ((character === '&' || character === '|') && text[end + 1] === character) break;
    if (character === '(') depth += 1;
    else if (character === ')') {
      if (depth === 0) break;
      depth -= 1;
    }
  }
  const literal = text.slice(offset, end).trimEnd();
  return literal === '' ? null : [literal];
}
