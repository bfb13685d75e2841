import type { CustomPatternMatcherReturn, IToken } from 'chevrotain';

type Match = CustomPatternMatcherReturn | null;

/**
 * Matches a string up to its closing quote, else to the end of the text; by indexOf, so that its length
 * costs nothing.
 */
export function matchString(text: string, offset: number): Match {
  if (text[offset] !== '"') return null;
  const end = endOfString(text, offset);
  return end === undefined ? unterminated(text, offset) : [text.slice(offset, end)];
}

/** Offset after the closing quote of the string that begins here; undefined if there is none. */
export function endOfString(text: string, offset: number): number | undefined {
  let quote = text.indexOf('"', offset + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? undefined : quote + 1;
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes += 1;
  return backslashes % 2 === 1;
}

/** Matches a block comment up to its end, else to the end of the text. */
export function matchBlockComment(text: string, offset: number): Match {
  if (!text.startsWith('/*', offset)) return null;
  const end = text.indexOf('*/', offset + 2);
  return end === -1 ? unterminated(text, offset) : [text.slice(offset, end + 2)];
}

function unterminated(text: string, offset: number): Match {
  const match: CustomPatternMatcherReturn = [text.slice(offset)];
  match.payload = UNTERMINATED;
  return match;
}

export const UNTERMINATED = 'unterminated';

/** True of a string or comment that runs to the end of the text because it is never closed. */
export function isUnterminated(token: IToken): boolean {
  return token.payload === UNTERMINATED;
}

/** `<…>` with nested angle brackets in the place of a value. */
export const matchHtmlString = inValue((text, offset) => {
  if (text[offset] !== '<') return null;
  let depth = 0;
  for (let index = offset; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x3c) depth += 1;
    else if (code === 0x3e) depth -= 1;
    if (code === 0x3e && depth <= 0 && isValueEnd(text, index + 1)) return [text.slice(offset, index + 1)];
  }
  return unterminated(text, offset);
});

// Words are scanned by hand: regular expressions with alternatives in a loop overflow the stack on words of
// megabytes.

export const matchBareWord = inValue((text, offset) => {
  if (isWordStart[text.charCodeAt(offset)] !== 1) return null;
  const end = endOfValueWord(text, offset);
  return isValueEnd(text, end) ? [text.slice(offset, end)] : null;
});

export const matchBoolean = inValue((text, offset) => {
  const word = text.startsWith('true', offset)
    ? 'true'
    : text.startsWith('false', offset)
      ? 'false'
      : undefined;
  return word !== undefined && isValueEnd(text, offset + word.length) ? [word] : null;
});

export const matchDuration = number(/-?[0-9]+(?:ms|s|m|h|d)/y);
export const matchFloat = number(/-?[0-9]*\.[0-9]+/y);
export const matchInteger = number(/-?[0-9]+/y);

/**
 * Word in the form of an id or key, with the dots and hyphens of wrong ones: `a-b` is one word, `a->b` and
 * `a--b` are not. Neither a keyword nor a value.
 */
export const matchWord: Matcher = (text, offset, tokens) => {
  const first = text.charCodeAt(offset);
  if (isWordStart[first] !== 1) return null;
  const before = tokens[tokens.length - 1];
  if (before !== undefined && comesBeforeValue(before) && !isNextAttribute(text, offset, before)) return null;
  const end = endOfWord(text, offset);
  // A letter beyond ASCII after it makes it a foreign word.
  if (text.charCodeAt(end) > 0x7f) return null;
  const word = text.slice(offset, end);
  return isKeywordStart[first] === 1 && keywords.has(word) ? null : [word];
};

export const keywords: ReadonlySet<string> = new Set(['digraph', 'graph', 'node', 'edge', 'subgraph']);

/** A word that begins with a digit, a point or a minus sign. */
export const matchNumberWord: Matcher = (text, offset) => {
  return /^-?\.?[0-9]/.test(text.slice(offset, offset + 3))
    ? [text.slice(offset, endOfWord(text, offset + 1))]
    : null;
};

/** A word with letters beyond ASCII, or one that is followed by another character beyond ASCII. */
export const matchForeignWord: Matcher = (text, offset) => {
  const first = text.charCodeAt(offset);
  if (isWordStart[first] !== 1 && first <= 0x7f) return null;
  let end = endOfWord(text, offset);
  // Hardly any word is followed by one; a class of letters is slow to build.
  while (text.charCodeAt(end) > 0x7f) {
    foreignLetters ??= lettersBeyondAscii();
    const next = endOfMatch(foreignLetters, text, end);
    if (next === undefined) break;
    end = endOfWord(text, next);
  }
  return end === offset ? null : [text.slice(offset, end)];
};

let foreignLetters: RegExp | undefined;
// In portions, because the length of a word is not limited.
const lettersBeyondAscii = () => /[\p{L}\p{M}\p{N}]{1,500}/uy;

const URL_START = /[A-Za-z][A-Za-z0-9+.-]{0,20}:\/\//y;
const BRACKETS = /\[[^[\]{}\r\n]*\]|\{[^[\]{}\r\n]*\}/y;

/**
 * Any other text in the place of a value, up to the next blank or separator (`3.5-turbo`, `900sx`,
 * `#ff0000`), or in brackets on one line.
 */
export const matchUnreadableValue = inValue((text, offset, tokens) => {
  const end =
    endOfMatch(BRACKETS, text, offset) ?? endOfRun(text, endOfMatch(URL_START, text, offset) ?? offset);
  if (end === offset) return null;
  return isNextAttribute(text, offset, tokens[tokens.length - 1]) ? null : [text.slice(offset, end)];
});

/** True for `key =` at the end of a line and `other=…` on the next: the value is missing, not unreadable. */
function isNextAttribute(text: string, offset: number, equals: IToken | undefined): boolean {
  return text[endOfWord(text, offset)] === '=' && text.slice(equals?.startOffset, offset).includes('\n');
}

interface WordShape {
  readonly isPart: Uint8Array;
  /** Characters that make a hyphen before them the beginning of an operator. */
  readonly afterHyphen: string;
}

const WORD: WordShape = { isPart: characterSet(/[A-Za-z0-9_.]/), afterHyphen: '->' };
const VALUE_WORD: WordShape = { isPart: characterSet(/[A-Za-z0-9_.:]/), afterHyphen: '>' };
const EQUALS = 0x3d;
const COLON = 0x3a;
const HYPHEN = 0x2d;
const SLASH = 0x2f;

function characterSet(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0));
}

/** End of a word that begins here. */
function endOfWord(text: string, offset: number): number {
  return endOfShape(text, offset, WORD);
}

/** End of a value without quotes, which may hold colons and end in hyphens. */
function endOfValueWord(text: string, offset: number): number {
  return endOfShape(text, offset, VALUE_WORD);
}

function endOfShape(text: string, offset: number, { isPart, afterHyphen }: WordShape): number {
  let index = offset;
  for (;;) {
    const code = text.charCodeAt(index);
    if (isPart[code] !== 1 && (code !== HYPHEN || afterHyphen.includes(text[index + 1] ?? ' '))) return index;
    index += 1;
  }
}

/** End of a text that is not a valid value but is in its place. */
function endOfRun(text: string, offset: number): number {
  let index = offset;
  while (index < text.length && !isValueEnd(text, index)) index += 1;
  return index;
}

/**
 * True at the end of a value without quotes. `http://` is not followed by a comment: it is an unquoted URL.
 */
function isValueEnd(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  if (code === HYPHEN) return text[index + 1] === '>';
  if (code === SLASH) return text[index + 1] === '*' || (text[index + 1] === '/' && text[index - 1] !== ':');
  if (code < 128) return isDelimiter[code] === 1;
  return Number.isNaN(code) || /\s/.test(text.charAt(index));
}

const isWordStart = characterSet(/[A-Za-z_]/);
/** First characters of keywords; most words need no lookup. */
const isKeywordStart = characterSet(/[degns]/);
const isDelimiter = characterSet(/[\s,;[\]{}"]/);

function number(pattern: RegExp): Matcher {
  return (text, offset) => {
    const end = endOfMatch(pattern, text, offset);
    return end !== undefined && isValueEnd(text, end) ? [text.slice(offset, end)] : null;
  };
}

function endOfMatch(sticky: RegExp, text: string, offset: number): number | undefined {
  sticky.lastIndex = offset;
  return sticky.test(text) ? sticky.lastIndex : undefined;
}

export type Matcher = (text: string, offset: number, tokens: readonly IToken[]) => Match;

/** Restricts a matcher to the text after `=`, or after the `:` that some write instead. */
function inValue(matcher: Matcher): Matcher {
  return (text, offset, tokens) => {
    const before = tokens[tokens.length - 1];
    return before !== undefined && comesBeforeValue(before) ? matcher(text, offset, tokens) : null;
  };
}

/** True if a value is expected after a token. */
export function comesBeforeValue({ image }: IToken): boolean {
  const first = image.charCodeAt(0);
  return (first === EQUALS || first === COLON) && (image.length === 1 || image === '==');
}
