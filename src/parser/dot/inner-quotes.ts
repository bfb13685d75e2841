import type { IToken } from 'chevrotain';
import { comesBeforeValue, endOfString, type Matcher, matchString } from './patterns.js';

// `prompt="Print "hello" and exit"`: to the grammar, the string ends before `hello`, and prose becomes
// attributes. So a text with errors is read a second time, with strings that end where their authors meant
// them to end.

/** Offsets of the unescaped quotes inside a string: the payload of its token. */
export interface InnerQuotes {
  readonly quotes: readonly number[];
}

/** Offsets of the unescaped quotes inside a string of the second reading. */
export function innerQuotesOf({ payload }: IToken): readonly number[] {
  return isInnerQuotes(payload) ? payload.quotes : [];
}

function isInnerQuotes(payload: unknown): payload is InnerQuotes {
  return typeof payload === 'object' && payload !== null && 'quotes' in payload;
}

/**
 * Matches a string up to the quote after which the text continues like a pipeline, if its first quote
 * cannot be its end.
 */
export const matchStringWithInnerQuotes: Matcher = (text, offset, tokens) => {
  const before = tokens[tokens.length - 1];
  const end = endOfString(text, offset);
  if (end === undefined || before === undefined || !comesBeforeValue(before))
    return matchString(text, offset);
  const quotes = findInnerQuotes(text, offset, end - 1, tokens);
  if (quotes === undefined) return matchString(text, offset);
  const last = endOfString(text, quotes.at(-1) ?? offset) ?? text.length;
  return Object.assign([text.slice(offset, last)] as [string], { payload: { quotes } });
};

/** True if a string, as the grammar reads it, ends where no author ends a value. */
export function endsTooEarly(text: string, { startOffset, image }: IToken): boolean {
  return image.startsWith('"') && isInnerQuote(text, startOffset, startOffset + image.length - 1);
}

/** Text after a quote inside a string: text without a blank, or words and another quote after a blank. */
const PROSE =
  /[^\s,;\]}+/#:]|[,;\]}]"|[ \t]+[^"=[\]{};,#+/\s]+[ \t]+[^"=[\]{};#+\s][^"=[\]{};#\r\n]{0,200}"|[ \t]+[^"=[\]{};,#+/\s]+"\s*[,\]]/y;
const ONE_WORD = /[ \t]+[^"=[\]{};,#+/\s]+[ \t]*"/y;
/** Attribute after a value whose comma is missing. */
const ATTRIBUTE = /[A-Za-z_][\w.]*\s*=\s*(?:"|[\w.:-]+\s*[,\]])/y;

function isInnerQuote(text: string, open: number, quote: number): boolean {
  if (matches(ATTRIBUTE, text, quote + 1)) return false;
  // `" word "` next to a blank; without one, `x="a" label "b"` lacks a comma and an equals sign.
  const isApart = quote > open + 1 && /\s/.test(text[quote - 1] ?? '');
  return matches(PROSE, text, quote + 1) || (isApart && matches(ONE_WORD, text, quote + 1));
}

const WORD_OF_STATEMENT = String.raw`[A-Za-z_]\w*[ \t]*(?:->|[=[{;}]|[\r\n]|$)`;
const KEY = String.raw`(?:[A-Za-z_][\w.]*|"[^"\r\n]{0,80}")[ \t]*=`;
/** After the last value of a block, after another one, and after one whose comma is missing. */
const AFTER_VALUE_IN_BLOCK = new RegExp(
  [
    String.raw`\s*\][ \t]*(?:$|[\r\n;}[]|//|/\*|${WORD_OF_STATEMENT})`,
    String.raw`\s*,\s*(?:\]|//|/\*|${KEY})`,
    String.raw`[ \t]*[\r\n]\s*${KEY}`,
  ].join('|'),
  'y',
);
/** After the value of `key = value` that is a statement. */
const AFTER_ASSIGNMENT = new RegExp(
  [
    String.raw`[ \t]*;?[ \t]*(?:$|//|/\*|\}\s*$)`,
    String.raw`[ \t]*;[ \t]*(?:[\r\n]|${WORD_OF_STATEMENT})`,
    String.raw`[ \t]*[\r\n]\s*(?:$|\}|//|/\*|${KEY}|${WORD_OF_STATEMENT})`,
  ].join('|'),
  'y',
);
/** Before the quote that opens the next value: `, key=`. */
const BEFORE_VALUE = /[[,;\n]\s*[A-Za-z_][\w.]*\s*=\s*$/;
/** A line that begins a statement, beyond which no search goes. */
const STATEMENT = /\n[ \t]*(?:[A-Za-z_]\w*[ \t]*(?:->|\[)|subgraph[ \t{])|\n\}[ \t]*(?:\r?\n|$)/g;

/** Progress of the searches in one text, so that all of them together are linear in its length. */
interface Search {
  /** Offset of the next statement. */
  boundary: number;
  /** Offset before which strings that close have no better end. */
  hopelessUntil: number;
}

const searches = new WeakMap<readonly IToken[], Search>();

function searchOf(tokens: readonly IToken[]): Search {
  const cached = searches.get(tokens);
  if (cached !== undefined) return cached;
  const search = { boundary: -1, hopelessUntil: -1 };
  searches.set(tokens, search);
  return search;
}

/**
 * Quotes before the one that was meant to close the string; undefined if the first one closes it, or none
 * is better.
 */
function findInnerQuotes(
  text: string,
  open: number,
  first: number,
  tokens: readonly IToken[],
): readonly number[] | undefined {
  const search = searchOf(tokens);
  if (first < search.hopelessUntil || !isInnerQuote(text, open, first)) return undefined;
  if (search.boundary <= first) search.boundary = nextStatement(text, first);
  const after = isInBlock(tokens) ? AFTER_VALUE_IN_BLOCK : AFTER_ASSIGNMENT;
  const quotes = [first];
  const nesting = new Nesting(text, open + 1);
  for (
    let quote = nextQuote(text, first);
    quote !== undefined && quote <= search.boundary;
    quote = nextQuote(text, quote)
  ) {
    const closes = !nesting.isOpenAt(quote) && matches(after, text, quote + 1);
    if (closes && !isUnclosed(text, open, quotes)) return quotes;
    if (closes || (!nesting.isOpen && opensValue(text, open, quote))) {
      search.hopelessUntil = quote;
      return undefined;
    }
    quotes.push(quote);
  }
  search.hopelessUntil = search.boundary;
  return undefined;
}

/**
 * True for a string without a closing quote, such as the first of `label="no end, shape="box"`. A text
 * between quotes leaves them even.
 */
function isUnclosed(text: string, open: number, quotes: readonly number[]): boolean {
  return quotes.length % 2 === 1 && opensValue(text, open, quotes[0] ?? open);
}

function opensValue(text: string, open: number, quote: number): boolean {
  return BEFORE_VALUE.test(text.slice(Math.max(open + 1, quote - 80), quote));
}

function nextQuote(text: string, quote: number): number | undefined {
  const end = endOfString(text, quote);
  return end === undefined ? undefined : end - 1;
}

function nextStatement(text: string, from: number): number {
  STATEMENT.lastIndex = from;
  return STATEMENT.exec(text)?.index ?? text.length;
}

/** True if the next value is in a block of attributes, judged by the last tokens before it. */
function isInBlock(tokens: readonly IToken[]): boolean {
  for (let index = tokens.length - 1; index >= Math.max(0, tokens.length - 60); index -= 1) {
    const image = tokens[index]?.image;
    if (image === '[' || image === ',') return true;
    if (image === ']' || image === '{' || image === '}' || image === ';') return false;
  }
  return true;
}

const OPENING = '([{';
const CLOSING = ')]}';

/** Brackets that a text has opened: in `["a", "b"]`, the quote before the bracket closes no value of ours. */
class Nesting {
  readonly #text: string;
  readonly #depths = [0, 0, 0];
  #offset: number;

  constructor(text: string, start: number) {
    this.#text = text;
    this.#offset = start;
  }

  /** Reads on to an offset, and returns true if a bracket is open there; offsets must not decrease. */
  isOpenAt(offset: number): boolean {
    for (; this.#offset < offset; this.#offset += 1) {
      const character = this.#text[this.#offset] ?? '';
      const opened = OPENING.indexOf(character);
      const closed = CLOSING.indexOf(character);
      if (opened !== -1) this.#depths[opened] = (this.#depths[opened] ?? 0) + 1;
      else if (closed !== -1) this.#depths[closed] = Math.max(0, (this.#depths[closed] ?? 0) - 1);
    }
    return this.isOpen;
  }

  get isOpen(): boolean {
    return this.#depths.some((depth) => depth > 0);
  }
}

function matches(sticky: RegExp, text: string, offset: number): boolean {
  sticky.lastIndex = offset;
  return sticky.test(text);
}
