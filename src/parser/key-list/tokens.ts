import type { TokenType } from 'chevrotain';
import { Blanks, quotedText, UnterminatedText } from '../quoted-text.js';
import { tokenType } from '../token-type.js';

/* The tokens of key lists (SEMANTICS 100). A key, a type, a number and a bare default are all one Word: the place tells them apart. */

export const Comma = tokenType({ name: 'Comma', pattern: ',' });
export const Semicolon = tokenType({ name: 'Semicolon', pattern: ';' });
export const Colon = tokenType({ name: 'Colon', pattern: ':' });
export const Bar = tokenType({ name: 'Bar', pattern: '|' });
export const Question = tokenType({ name: 'Question', pattern: '?' });
export const Equals = tokenType({ name: 'Equals', pattern: '=' });
export const LeftBracket = tokenType({ name: 'LeftBracket', pattern: '[' });
export const RightBracket = tokenType({ name: 'RightBracket', pattern: ']' });
export const LeftBrace = tokenType({ name: 'LeftBrace', pattern: '{' });
export const RightBrace = tokenType({ name: 'RightBrace', pattern: '}' });
export const Text = tokenType({
  name: 'String',
  pattern: quotedText,
  line_breaks: true,
});
export const Word = tokenType({ name: 'Word', pattern: /[^\s,;:|?=[\]{}"]+/ });

export const keyListTokens: readonly TokenType[] = [
  Blanks,
  Comma,
  Semicolon,
  Colon,
  Bar,
  Question,
  Equals,
  LeftBracket,
  RightBracket,
  LeftBrace,
  RightBrace,
  Text,
  UnterminatedText,
  Word,
];
