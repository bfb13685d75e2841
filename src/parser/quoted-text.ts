import { type IToken, Lexer } from 'chevrotain';
import type { Span } from '../diagnostic/source.js';
import { tokenType } from './token-type.js';

/** A text in double quotes, in which a backslash quotes the next character. */
export const quotedText = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"/;

/** Begins with a quote and has no closing one. */
export const UnterminatedText = tokenType({
  name: 'UnterminatedText',
  pattern: /"[\s\S]*/,
  line_breaks: true,
});

export const Blanks = tokenType({
  name: 'Blanks',
  pattern: /\s+/,
  group: Lexer.SKIPPED,
  line_breaks: true,
});

export function spanOf({ startOffset, image }: IToken): Span {
  return { start: startOffset, end: startOffset + image.length };
}
