import { createToken, type IToken, Lexer, type TokenType } from 'chevrotain';
import type { Span } from '../../diagnostic/source.js';

/* The tokens of stylesheets (§8.2, SEMANTICS 45–46a). A value is one token, so that `gpt-5.2` and `claude-*` need no quotes. */

export const Universal = createToken({ name: 'Universal', pattern: '*' });
export const ClassName = createToken({ name: 'ClassName', pattern: /\.[A-Za-z0-9_-]+/ });
/** Wider than an id, so that `#my-node` can be named in a message. */
export const NodeId = createToken({ name: 'NodeId', pattern: /#[A-Za-z0-9_-]+/ });
/** A shape or a property, depending on the context. */
export const Word = createToken({ name: 'Word', pattern: /[A-Za-z_][A-Za-z0-9_-]*/ });

export const LeftBrace = createToken({ name: 'LeftBrace', pattern: '{' });
export const RightBrace = createToken({ name: 'RightBrace', pattern: '}' });
export const Semicolon = createToken({ name: 'Semicolon', pattern: ';' });
export const Comma = createToken({ name: 'Comma', pattern: ',' });

/** `:` or `=`: a value follows. */
export const Assign = createToken({ name: 'Assign', pattern: /[:=]/ });

export const QuotedValue = createToken({
  name: 'QuotedValue',
  pattern: /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|'[^']*'/,
  line_breaks: true,
});
export const BareValue = createToken({
  name: 'BareValue',
  pattern: { exec: matchBareValue },
  line_breaks: false,
});

/**
 * Unterminated value; no rule accepts this and the following tokens, which exist to be named in a message.
 */
export const UnterminatedValue = createToken({
  name: 'UnterminatedValue',
  pattern: /["'][\s\S]*/,
  line_breaks: true,
});
export const UnterminatedComment = createToken({
  name: 'UnterminatedComment',
  pattern: /\/\*[\s\S]*/,
  line_breaks: true,
});
const Unknown = createToken({ name: 'Unknown', pattern: /\/\/|\S/ });

const Blanks = createToken({ name: 'Blanks', pattern: /\s+/, group: Lexer.SKIPPED, line_breaks: true });
const Comment = createToken({
  name: 'Comment',
  pattern: /\/\*[\s\S]*?\*\//,
  group: Lexer.SKIPPED,
  line_breaks: true,
});

/** Token types in the order in which the lexer tries them. */
export const stylesheetTokens: readonly TokenType[] = [
  Blanks,
  Comment,
  UnterminatedComment,
  QuotedValue,
  UnterminatedValue,
  BareValue,
  Universal,
  ClassName,
  NodeId,
  Word,
  LeftBrace,
  RightBrace,
  Semicolon,
  Comma,
  Assign,
  Unknown,
];

export function spanOf(token: IToken): Span {
  return { start: token.startOffset, end: token.startOffset + token.image.length };
}

/**
 * End of an unquoted value: a sign that cannot be in it, the end of the line, or the text before
 * `property:`.
 */
const valueEnd = /[;{}"'\r\n]|\/\*|\s(?=[A-Za-z_][A-Za-z0-9_-]*\s*[:=])/g;

function matchBareValue(text: string, offset: number, matched: readonly IToken[]): [string] | null {
  if (matched.at(-1)?.tokenType !== Assign) return null;
  valueEnd.lastIndex = offset;
  const value = text.slice(offset, valueEnd.exec(text)?.index ?? text.length).trimEnd();
  return value === '' ? null : [value];
}
