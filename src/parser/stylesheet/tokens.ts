import { type IToken, Lexer, type TokenType } from 'chevrotain';
import type { Span } from '../../diagnostic/source.js';
import { tokenType } from '../token-type.js';

/* The tokens of stylesheets (§8.2, SEMANTICS 45–46a). A value is one token, so that `gpt-5.2` and `claude-*` need no quotes. */

export const Universal = tokenType({ name: 'Universal', pattern: '*' });
export const ClassName = tokenType({ name: 'ClassName', pattern: /\.[A-Za-z0-9_-]+/ });
/** Wider than an id, so that `#my-node` can be named in a message. */
export const NodeId = tokenType({ name: 'NodeId', pattern: /#[A-Za-z0-9_-]+/ });
/** A shape or a property, depending on the context. */
export const Word = tokenType({ name: 'Word', pattern: /[A-Za-z_][A-Za-z0-9_-]*/ });

export const LeftBrace = tokenType({ name: 'LeftBrace', pattern: '{' });
export const RightBrace = tokenType({ name: 'RightBrace', pattern: '}' });
export const Semicolon = tokenType({ name: 'Semicolon', pattern: ';' });
export const Comma = tokenType({ name: 'Comma', pattern: ',' });

/** `:` or `=`: a value follows. */
export const Assign = tokenType({ name: 'Assign', pattern: /[:=]/ });

export const QuotedValue = tokenType({
  name: 'QuotedValue',
  pattern: /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|'[^']*'/,
  line_breaks: true,
});
export const BareValue = tokenType({
  name: 'BareValue',
  pattern: { exec: matchBareValue },
  line_breaks: false,
});

/**
 * Unterminated value; no rule accepts this and the following tokens, which exist to be named in a message.
 */
export const UnterminatedValue = tokenType({
  name: 'UnterminatedValue',
  pattern: /["'][\s\S]*/,
  line_breaks: true,
});
export const UnterminatedComment = tokenType({
  name: 'UnterminatedComment',
  pattern: /\/\*[\s\S]*/,
  line_breaks: true,
});
const Unknown = tokenType({ name: 'Unknown', pattern: /\/\/|\S/ });

const Blanks = tokenType({ name: 'Blanks', pattern: /\s+/, group: Lexer.SKIPPED, line_breaks: true });
const Comment = tokenType({
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
