import { type IToken, Lexer, type TokenType } from 'chevrotain';
import {
  comesBeforeValue,
  endOfString,
  endOfValueWord,
  endOfWord,
  isUnterminated,
  isValueEnd,
  type Matcher,
  UNTERMINATED,
} from './patterns.js';
import { endOf } from './report.js';
import { kindOf, TokenList } from './token-list.js';
import * as t from './tokens.js';

/** What a text consists of; comments and blanks that are none stand apart from the tokens that the parser reads. */
export interface LexedText {
  readonly tokens: TokenList;
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
  const tokens = new TokenList(text);
  const groups = { comments: [] as IToken[], hashes: [] as IToken[], blanks: [] as IToken[] };
  let isValue = false;
  let offset = 0;
  while (offset < text.length) {
    const code = text.charCodeAt(offset);
    if (isBlank(code)) {
      offset += 1;
      continue;
    }
    const end = addCommon(tokens, offset, code, isValue);
    if (end !== undefined) {
      offset = end;
      isValue = code === EQUALS;
      continue;
    }
    const other = otherToken(text, offset, code, [tokens.at(tokens.length - 1)]);
    offset += other.image.length;
    const { GROUP: group } = other.tokenType;
    switch (group) {
      case 'comments':
      case 'hashes':
      case 'blanks':
        groups[group].push(other);
        break;
      default:
        addOther(tokens, other);
        isValue = comesBeforeValue(other);
    }
  }
  return { tokens, ...groups };
}

const EQUALS = 0x3d;

function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

/** Adds one of the frequent tokens, where its first characters leave no doubt, and says where it ends. */
function addCommon(tokens: TokenList, offset: number, code: number, isValue: boolean): number | undefined {
  switch (code) {
    case 0x22: // "
      return addString(tokens, offset);
    case 0x2c: // ,
      return tokens.add(COMMA, offset, offset + 1);
    case 0x3b: // ;
      return tokens.add(SEMICOLON, offset, offset + 1);
    case 0x5d: // ]
      return tokens.add(R_SQUARE, offset, offset + 1);
    case 0x7d: // }
      return tokens.add(R_CURLY, offset, offset + 1);
    case 0x2d: // -
      return tokens.text.charCodeAt(offset + 1) === 0x3e ? tokens.add(ARROW, offset, offset + 2) : undefined;
  }
  if (isValue) return isLetter(code) ? addValueWord(tokens, offset) : addInteger(tokens, offset, code);
  switch (code) {
    case 0x5b: // [
      return tokens.add(L_SQUARE, offset, offset + 1);
    case 0x7b: // {
      return tokens.add(L_CURLY, offset, offset + 1);
    case EQUALS:
      return isEqualsAlone(tokens.text, offset) ? tokens.add(EQUALS_SIGN, offset, offset + 1) : undefined;
    default:
      return isLetter(code) ? addWord(tokens, offset) : undefined;
  }
}

const COMMA = kindOf(t.Comma);
const SEMICOLON = kindOf(t.Semicolon);
const L_SQUARE = kindOf(t.LSquare);
const R_SQUARE = kindOf(t.RSquare);
const L_CURLY = kindOf(t.LCurly);
const R_CURLY = kindOf(t.RCurly);
const ARROW = kindOf(t.Arrow);
const EQUALS_SIGN = kindOf(t.Equals);
const STRING = kindOf(t.StringLiteral);
const WORD = kindOf(t.Word);
const BARE_WORD = kindOf(t.BareWord);
const BOOLEAN = kindOf(t.BooleanLiteral);
const INTEGER = kindOf(t.Integer);

function addString(tokens: TokenList, offset: number): number {
  const end = endOfString(tokens.text, offset);
  return end === undefined ? tokens.addOpen(STRING, offset) : tokens.add(STRING, offset, end);
}

/** Neither `==` nor an arrow. */
function isEqualsAlone(text: string, offset: number): boolean {
  const next = text.charCodeAt(offset + 1);
  return next !== EQUALS && next !== 0x3e;
}

function addWord(tokens: TokenList, offset: number): number | undefined {
  const { text } = tokens;
  const end = endOfWord(text, offset);
  // A letter beyond ASCII behind it makes it a foreign word.
  if (text.charCodeAt(end) > 0x7f) return undefined;
  const isKeyword = isKeywordStart[text.charCodeAt(offset)] === 1;
  const kind = isKeyword ? (keywords.get(text.slice(offset, end)) ?? WORD) : WORD;
  return tokens.add(kind, offset, end);
}

const keywords: ReadonlyMap<string, number> = new Map([
  ['digraph', kindOf(t.Digraph)],
  ['graph', kindOf(t.GraphKeyword)],
  ['node', kindOf(t.NodeKeyword)],
  ['edge', kindOf(t.EdgeKeyword)],
  ['subgraph', kindOf(t.Subgraph)],
]);

/** Most words are none: they need not be looked up. */
const isKeywordStart = Uint8Array.from({ length: 128 }, (_, code) =>
  [...keywords.keys()].some((word) => word.charCodeAt(0) === code) ? 1 : 0,
);

function addValueWord(tokens: TokenList, offset: number): number | undefined {
  const { text } = tokens;
  const end = endOfValueWord(text, offset);
  if (!isValueEnd(text, end)) return undefined;
  return tokens.add(isTruthValue(text, offset, end) ? BOOLEAN : BARE_WORD, offset, end);
}

function isTruthValue(text: string, start: number, end: number): boolean {
  if (end - start === 4) return text.startsWith('true', start);
  return end - start === 5 && text.startsWith('false', start);
}

function addInteger(tokens: TokenList, offset: number, code: number): number | undefined {
  if (!isDigit(code)) return undefined;
  const { text } = tokens;
  let end = offset + 1;
  while (isDigit(text.charCodeAt(end))) end += 1;
  return isValueEnd(text, end) ? tokens.add(INTEGER, offset, end) : undefined;
}

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function addOther(tokens: TokenList, token: IToken): void {
  const kind = kindOf(token.tokenType);
  if (isUnterminated(token)) tokens.addOpen(kind, token.startOffset);
  else tokens.add(kind, token.startOffset, endOf(token));
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
