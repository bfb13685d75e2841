import { createToken, type TokenType } from 'chevrotain';
import { Blanks, quotedText, UnterminatedText } from '../quoted-text.js';

/* The tokens of key lists (SEMANTICS 100). A key, a type, a number and a bare default are all one Word: the place tells them apart. */

export const Comma = createToken({ name: 'Comma', pattern: ',' });
export const Semicolon = createToken({ name: 'Semicolon', pattern: ';' });
export const Colon = createToken({ name: 'Colon', pattern: ':' });
export const Bar = createToken({ name: 'Bar', pattern: '|' });
export const Question = createToken({ name: 'Question', pattern: '?' });
export const Equals = createToken({ name: 'Equals', pattern: '=' });
export const LeftBracket = createToken({ name: 'LeftBracket', pattern: '[' });
export const RightBracket = createToken({ name: 'RightBracket', pattern: ']' });
export const LeftBrace = createToken({ name: 'LeftBrace', pattern: '{' });
export const RightBrace = createToken({ name: 'RightBrace', pattern: '}' });
export const Text = createToken({
  name: 'String',
  pattern: quotedText,
  line_breaks: true,
});
export const Word = createToken({ name: 'Word', pattern: /[^\s,;:|?=[\]{}"]+/ });

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
