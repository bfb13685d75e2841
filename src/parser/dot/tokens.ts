import { type ITokenConfig, Lexer, type TokenType } from 'chevrotain';
import { tokenType } from '../token-type.js';
import { matchStringWithInnerQuotes } from './inner-quotes.js';
import {
  matchBareWord,
  matchBlockComment,
  matchBoolean,
  matchDuration,
  matchFloat,
  matchForeignWord,
  matchHtmlString,
  matchInteger,
  matchNumberWord,
  matchString,
  matchUnreadableValue,
  matchWord,
} from './patterns.js';

// Besides the tokens of the language there are tokens for common mistakes. The parser accepts them in the
// place of the right ones and reports them there, so that it hardly ever has to guess how to continue.

const category = (name: string, ...categories: TokenType[]) =>
  tokenType({ name, pattern: Lexer.NA, categories });

export const AnyToken = category('AnyToken');
/** Tokens that can be a key: every name, and `subgraph`. */
export const Key = category('Key', AnyToken);
/** Tokens in the place of an id, rightly or wrongly. */
export const Name = category('Name', Key);
export const Value = category('Value', AnyToken);
export const EdgeOperator = category('EdgeOperator', AnyToken);
/** Tokens between a key and its value, rightly or wrongly. */
export const Joiner = category('Joiner', AnyToken);
/** Tokens that end a block of attributes, rightly or wrongly. */
export const BlockEnd = category('BlockEnd', AnyToken);
/** Tokens that begin neither a statement nor an attribute. */
export const Junk = category('Junk', AnyToken);

const letters = [...range(0x41, 0x5a), 0x5f, ...range(0x61, 0x7a)];
const numberStarts = [...range(0x30, 0x39), 0x2d, 0x2e];
const beyondAscii = [...range(0x80, 0xff), ...beyondLatin()];
const anything = [...range(0, 0x7f), ...beyondAscii];

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** One character of each bucket of 255 into which chevrotain sorts the characters beyond 255. */
function beyondLatin(): number[] {
  return [
    ...Array.from({ length: 257 }, (_, index) => 256 + index * 255).filter((code) => code <= 0xffff),
    0xffff,
  ];
}

function token(config: ITokenConfig): TokenType {
  return tokenType({ categories: [AnyToken], line_breaks: false, ...config });
}

function keyword(word: string, name: string, isA: TokenType): TokenType {
  return token({ name, pattern: word, longer_alt: ForeignWord, categories: [isA] });
}

/** Most blanks are one space, which the lexer recognises without a regular expression. */
const Space = token({ name: 'Space', pattern: ' ', group: Lexer.SKIPPED });
const WhiteSpace = token({
  name: 'WhiteSpace',
  pattern: /[ \t\r\n\f\v]+/,
  start_chars_hint: ['\t', '\r', '\n', '\f', '\v'],
  group: Lexer.SKIPPED,
  line_breaks: true,
});
const LineComment = token({
  name: 'LineComment',
  pattern: /\/\/[^\r\n]*/,
  start_chars_hint: ['/'],
  group: 'comments',
});
export const BlockComment = token({
  name: 'BlockComment',
  pattern: matchBlockComment,
  start_chars_hint: ['/'],
  group: 'comments',
  line_breaks: true,
});
const HashComment = token({
  name: 'HashComment',
  pattern: /#[^\r\n]*/,
  start_chars_hint: ['#'],
  group: 'hashes',
});
const OddBlank = token({
  name: 'OddBlank',
  pattern: /[\u00A0\u00AD\u1680\u2000-\u200F\u2028\u2029\u202F\u205F\u2060\u3000\uFEFF]+/,
  start_chars_hint: [
    0xa0,
    0xad,
    0x1680,
    ...range(0x2000, 0x200f),
    0x2028,
    0x2029,
    0x202f,
    0x205f,
    0x2060,
    0x3000,
    0xfeff,
  ],
  group: 'blanks',
});

export const LSquare = token({ name: 'LSquare', pattern: '[' });
export const RSquare = token({ name: 'RSquare', pattern: ']', categories: [BlockEnd] });
export const LCurly = token({ name: 'LCurly', pattern: '{' });
export const RCurly = token({ name: 'RCurly', pattern: '}', categories: [BlockEnd] });
export const Comma = token({ name: 'Comma', pattern: ',' });
export const Semicolon = token({ name: 'Semicolon', pattern: ';' });
export const Equals = token({
  name: 'Equals',
  pattern: /==?/,
  start_chars_hint: ['='],
  categories: [Joiner, Junk],
});
export const Colon = token({ name: 'Colon', pattern: ':', categories: [Joiner, Junk] });
export const Plus = token({ name: 'Plus', pattern: '+', categories: [Junk] });

export const Arrow = token({ name: 'Arrow', pattern: '->', categories: [EdgeOperator] });
const WrongArrow = token({
  name: 'WrongArrow',
  pattern: /--+>|=+>|~{1,20}>|<-+>?|[→⟶⇒⟹]|[–—]+>?/,
  start_chars_hint: [...'-=~<→⟶⇒⟹–—'],
  categories: [EdgeOperator],
});
export const Undirected = token({
  name: 'Undirected',
  pattern: /--+/,
  start_chars_hint: ['-'],
  categories: [EdgeOperator],
});

export const StringLiteral = token({
  name: 'String',
  pattern: matchString,
  start_chars_hint: ['"'],
  line_breaks: true,
  categories: [Name, Value],
});
export const WrongQuotes = token({
  name: 'WrongQuotes',
  pattern: /'[^'\r\n]*'|`[^`\r\n]*`|[“”„][^“”„"\r\n]*[“”]|[‘’][^‘’\r\n]*[‘’]|«[^«»\r\n]*»/,
  start_chars_hint: [..."'`“”„‘’«"],
  categories: [Name, Value],
});
export const HtmlString = token({
  name: 'HtmlString',
  pattern: matchHtmlString,
  start_chars_hint: ['<'],
  line_breaks: true,
  categories: [Value, Junk],
});
export const BooleanLiteral = token({
  name: 'Boolean',
  pattern: matchBoolean,
  start_chars_hint: ['t', 'f'],
  categories: [Value, Junk],
});
export const BareWord = token({
  name: 'BareWord',
  pattern: matchBareWord,
  start_chars_hint: letters,
  categories: [Value, Junk],
});
export const Duration = token({
  name: 'Duration',
  pattern: matchDuration,
  start_chars_hint: numberStarts,
  categories: [Name, Value],
});
export const Float = token({
  name: 'Float',
  pattern: matchFloat,
  start_chars_hint: numberStarts,
  categories: [Name, Value],
});
export const Integer = token({
  name: 'Integer',
  pattern: matchInteger,
  start_chars_hint: numberStarts,
  categories: [Name, Value],
});
export const UnreadableValue = token({
  name: 'UnreadableValue',
  pattern: matchUnreadableValue,
  start_chars_hint: anything,
  categories: [Value, Junk],
});

// A hyphen belongs to a word unless it begins an edge operator, so that `a-b` is one (wrong) id and `a->b` an edge.
export const Word = token({
  name: 'Word',
  pattern: matchWord,
  start_chars_hint: letters,
  categories: [Name],
});
const NumberWord = token({
  name: 'NumberWord',
  pattern: matchNumberWord,
  start_chars_hint: numberStarts,
  categories: [Name],
});
export const ForeignWord = token({
  name: 'ForeignWord',
  pattern: matchForeignWord,
  start_chars_hint: [...letters, ...beyondAscii],
  categories: [Name],
});

export const Digraph = keyword('digraph', 'Digraph', Name);
export const GraphKeyword = keyword('graph', 'Graph', Name);
export const NodeKeyword = keyword('node', 'Node', Name);
export const EdgeKeyword = keyword('edge', 'Edge', Name);
export const Subgraph = keyword('subgraph', 'Subgraph', Key);

const Unexpected = token({
  name: 'Unexpected',
  pattern: (text: string, offset: number) => [String.fromCodePoint(text.codePointAt(offset) ?? 0)],
  start_chars_hint: anything,
  categories: [Junk],
});

/** A string of the second reading of a text with errors; the parser sees `StringLiteral`. */
export const DoubtfulString = token({
  name: 'DoubtfulString',
  pattern: matchStringWithInnerQuotes,
  start_chars_hint: ['"'],
  line_breaks: true,
});

/** Token types in the order in which they are tried. */
export const tokenTypes: readonly TokenType[] = [
  AnyToken,
  Key,
  Name,
  Value,
  EdgeOperator,
  Joiner,
  BlockEnd,
  Junk,
  Space,
  WhiteSpace,
  StringLiteral,
  RSquare,
  RCurly,
  Comma,
  Semicolon,
  Arrow,
  Word,
  LineComment,
  BlockComment,
  HtmlString,
  BooleanLiteral,
  BareWord,
  Duration,
  Float,
  Integer,
  WrongQuotes,
  UnreadableValue,
  LSquare,
  LCurly,
  WrongArrow,
  Undirected,
  Equals,
  Colon,
  Plus,
  Digraph,
  GraphKeyword,
  NodeKeyword,
  EdgeKeyword,
  Subgraph,
  NumberWord,
  ForeignWord,
  HashComment,
  OddBlank,
  Unexpected,
];
