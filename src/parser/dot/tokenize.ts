import { type IToken, Lexer, type TokenType } from 'chevrotain';
import {
  comesBeforeValue,
  endOfString,
  endOfValueWord,
  endOfWord,
  isValueEnd,
  type Matcher,
  UNTERMINATED,
} from './patterns.js';
import * as t from './tokens.js';

/** What a text consists of; comments and blanks that are none stand apart from the tokens that the parser reads. */
export interface LexedText {
  readonly tokens: IToken[];
  readonly comments: readonly IToken[];
  /** `# …`, which begins no comment. */
  readonly hashes: readonly IToken[];
  /** Blanks other than those of ASCII. */
  readonly blanks: readonly IToken[];
}

/**
 * Cuts a text into tokens (§2.2, §2.3), in the order and by the patterns of tokens.ts, as a lexer of chevrotain would. What
 * nearly every text consists of is recognised by its first character; only what is left is tried pattern by pattern.
 */
export function tokenize(text: string): LexedText {
  const tokens: IToken[] = [];
  const groups = { comments: [] as IToken[], hashes: [] as IToken[], blanks: [] as IToken[] };
  let isValue = false;
  let offset = 0;
  while (offset < text.length) {
    const code = text.charCodeAt(offset);
    if (isBlank(code)) {
      offset += 1;
      continue;
    }
    const common = commonToken(text, offset, code, isValue);
    if (common !== undefined) {
      offset += common.image.length;
      tokens.push(common);
      isValue = code === EQUALS;
      continue;
    }
    const other = otherToken(text, offset, code, tokens);
    offset += other.image.length;
    const { GROUP: group } = other.tokenType;
    switch (group) {
      case 'comments':
      case 'hashes':
      case 'blanks':
        groups[group].push(other);
        break;
      default:
        tokens.push(other);
        isValue = comesBeforeValue(other);
    }
  }
  return { tokens, ...groups };
}

const EQUALS = 0x3d;

function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

/** The frequent tokens, where their first characters leave no doubt. */
function commonToken(text: string, offset: number, code: number, isValue: boolean): IToken | undefined {
  switch (code) {
    case 0x22: // "
      return stringToken(text, offset);
    case 0x2c: // ,
      return newToken(t.Comma, ',', offset);
    case 0x3b: // ;
      return newToken(t.Semicolon, ';', offset);
    case 0x5d: // ]
      return newToken(t.RSquare, ']', offset);
    case 0x7d: // }
      return newToken(t.RCurly, '}', offset);
    case 0x2d: // -
      return text.charCodeAt(offset + 1) === 0x3e ? newToken(t.Arrow, '->', offset) : undefined;
  }
  if (isValue) return isLetter(code) ? valueWord(text, offset) : integer(text, offset, code);
  switch (code) {
    case 0x5b: // [
      return newToken(t.LSquare, '[', offset);
    case 0x7b: // {
      return newToken(t.LCurly, '{', offset);
    case EQUALS:
      return isEqualsAlone(text, offset) ? newToken(t.Equals, '=', offset) : undefined;
    default:
      return isLetter(code) ? word(text, offset) : undefined;
  }
}

function stringToken(text: string, offset: number): IToken {
  const end = endOfString(text, offset);
  return end === undefined
    ? unterminatedToken(t.StringLiteral, text.slice(offset), offset)
    : newToken(t.StringLiteral, text.slice(offset, end), offset);
}

/** Neither `==` nor an arrow. */
function isEqualsAlone(text: string, offset: number): boolean {
  const next = text.charCodeAt(offset + 1);
  return next !== EQUALS && next !== 0x3e;
}

function word(text: string, offset: number): IToken | undefined {
  const end = endOfWord(text, offset);
  // A letter beyond ASCII behind it makes it a foreign word.
  if (text.charCodeAt(end) > 0x7f) return undefined;
  const image = text.slice(offset, end);
  const type = isKeywordStart[text.charCodeAt(offset)] === 1 ? keywords.get(image) : undefined;
  return newToken(type ?? t.Word, image, offset);
}

const keywords: ReadonlyMap<string, TokenType> = new Map([
  ['digraph', t.Digraph],
  ['graph', t.GraphKeyword],
  ['node', t.NodeKeyword],
  ['edge', t.EdgeKeyword],
  ['subgraph', t.Subgraph],
]);

/** Most words are none: they need not be looked up. */
const isKeywordStart = Uint8Array.from({ length: 128 }, (_, code) =>
  [...keywords.keys()].some((word) => word.charCodeAt(0) === code) ? 1 : 0,
);

function valueWord(text: string, offset: number): IToken | undefined {
  const end = endOfValueWord(text, offset);
  if (!isValueEnd(text, end)) return undefined;
  const image = text.slice(offset, end);
  return newToken(image === 'true' || image === 'false' ? t.BooleanLiteral : t.BareWord, image, offset);
}

function integer(text: string, offset: number, code: number): IToken | undefined {
  if (!isDigit(code)) return undefined;
  let end = offset + 1;
  while (isDigit(text.charCodeAt(end))) end += 1;
  return isValueEnd(text, end) ? newToken(t.Integer, text.slice(offset, end), offset) : undefined;
}

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

interface Candidate {
  readonly type: TokenType;
  readonly match: Matcher;
}

/** Whatever it is: the last type of token matches everything. */
function otherToken(text: string, offset: number, code: number, tokens: readonly IToken[]): IToken {
  for (const { type, match } of candidatesFor(code)) {
    const [image, payload] = partsOf(match(text, offset, tokens));
    if (image === undefined) continue;
    const longer = longerAlternative(type, image, text, offset, tokens);
    if (longer !== undefined) return longer;
    return payload === undefined ? newToken(type, image, offset) : unterminatedToken(type, image, offset);
  }
  throw new Error(`no token begins with the character ${code}`);
}

/** A keyword that is only the beginning of a word is none. */
function longerAlternative(
  { LONGER_ALT: alternatives = [] }: TokenType,
  image: string,
  text: string,
  offset: number,
  tokens: readonly IToken[],
): IToken | undefined {
  for (const type of [alternatives].flat()) {
    const [longer = ''] = partsOf(matcherOf(type)(text, offset, tokens));
    if (longer.length > image.length) return newToken(type, longer, offset);
  }
  return undefined;
}

const beyondAscii = 0x80;
const candidatesByCode: (readonly Candidate[] | undefined)[] = [];

/** By the first character, those beyond ASCII being one; listed when it is met first. */
function candidatesFor(code: number): readonly Candidate[] {
  const first = Math.min(code, beyondAscii);
  candidatesByCode[first] ??= t.tokenTypes
    .filter((type) => type.PATTERN !== undefined && type.PATTERN !== Lexer.NA && canBeginWith(type, first))
    .map((type) => ({ type, match: matcherOf(type) }));
  return candidatesByCode[first];
}

function canBeginWith({ PATTERN: pattern, START_CHARS_HINT: hint }: TokenType, code: number): boolean {
  if (hint !== undefined) return hint.includes(code) || hint.includes(String.fromCharCode(code));
  return typeof pattern !== 'string' || pattern.charCodeAt(0) === code;
}

const matcherOfType = new Map<TokenType, Matcher>();

function matcherOf(type: TokenType): Matcher {
  const known = matcherOfType.get(type);
  if (known !== undefined) return known;
  const { PATTERN: pattern } = type;
  const matcher = typeof pattern === 'function' ? (pattern as Matcher) : matcherOfPattern(pattern);
  matcherOfType.set(type, matcher);
  return matcher;
}

function matcherOfPattern(pattern: TokenType['PATTERN']): Matcher {
  if (typeof pattern === 'string') {
    return (text, offset) => (text.startsWith(pattern, offset) ? [pattern] : null);
  }
  if (!(pattern instanceof RegExp)) throw new Error('a token has a pattern of a kind that is not used here');
  const sticky = new RegExp(pattern.source, `${pattern.flags}y`);
  return (text, offset) => {
    sticky.lastIndex = offset;
    return sticky.test(text) ? [text.slice(offset, sticky.lastIndex)] : null;
  };
}

function partsOf(match: ReturnType<Matcher>): readonly [image?: string, payload?: unknown] {
  if (match === null) return [];
  return 'payload' in match ? [match[0], match.payload] : [match[0]];
}

/** All tokens have the same fields, so that whoever reads them is fast; a text has at most one that is unterminated. */
function newToken(tokenType: TokenType, image: string, startOffset: number): IToken {
  return { image, startOffset, tokenTypeIdx: tokenType.tokenTypeIdx ?? 0, tokenType };
}

function unterminatedToken(tokenType: TokenType, image: string, startOffset: number): IToken {
  return { ...newToken(tokenType, image, startOffset), payload: UNTERMINATED };
}
