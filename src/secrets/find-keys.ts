import { type KeyFormat, keyFormats } from './key-formats.js';
import { literalMatcher, type SecretSpan } from './literal-matcher.js';

/** A key of a well-known format. */
export interface FoundKey extends SecretSpan {
  readonly format: KeyFormat;
  /** Start of the match, which may precede the part to be hidden. */
  readonly matchStart: number;
}

/** Number of characters before a position that decide whether a key may begin there. */
export const lookBehind = 2;

interface Prefix {
  readonly text: string;
  readonly format: KeyFormat;
  /** Pattern of the text after the prefix, anchored at the position of the search. */
  readonly rest: RegExp;
  readonly body: RegExp;
}

const prefixes = keyFormats.flatMap((format) => {
  const rest = new RegExp(restOf(format), 'y');
  const body = new RegExp(`${format.body}*`, 'y');
  return format.prefixes.map((text): Prefix => ({ text, format, rest, body }));
});

const prefixNamed = new Map(prefixes.map((prefix) => [prefix.text, prefix]));

const matcher = literalMatcher(prefixes.map(({ text }) => ({ text, name: text })));

const longestPrefix = Math.max(...prefixes.map(({ text }) => text.length));

const shortestKey = Math.min(...prefixes.map(({ text, format }) => text.length + format.least));

/** First key of a well-known format at or after `from`. */
export function nextKey(text: string, from: number): FoundKey | undefined {
  if (text.length - from < shortestKey) return undefined;
  for (
    let begun = nextCandidate(text, from);
    begun !== undefined;
    begun = nextCandidate(text, begun.start + 1)
  ) {
    const { start, end, prefix } = begun;
    const after = endOf(prefix.rest, text, end);
    if (after === undefined) continue;
    const { format } = prefix;
    return {
      start: format.keepsPrefix ? end : start,
      end: after,
      name: format.name,
      format,
      matchStart: start,
    };
  }
  return undefined;
}

/** Start of a possible partial key at the end of the text, or its length. */
export function openKeyAt(text: string, from: number): number {
  /** Known end of the body of each format: every key that begins earlier ends there. */
  const ends = new Map<KeyFormat, number>();
  for (
    let begun = nextCandidate(text, from);
    begun !== undefined;
    begun = nextCandidate(text, begun.start + 1)
  ) {
    const { start, end, prefix } = begun;
    if (end <= (ends.get(prefix.format) ?? 0)) continue;
    const after = endOf(prefix.body, text, end) ?? end;
    if (after === text.length) return start;
    ends.set(prefix.format, after);
  }
  const earliest = Math.max(from, text.length - longestPrefix + 1);
  for (let start = earliest; start < text.length; start += 1) if (mayBegin(text, start)) return start;
  return text.length;
}

/** True if the text from `start` to its end is the beginning of a prefix. */
function mayBegin(text: string, start: number): boolean {
  const end = text.slice(start);
  const isWord = isWordStart(text, start);
  return prefixes.some(
    (prefix) =>
      (isWord || prefix.format.isAnywhere) && prefix.text.length > end.length && prefix.text.startsWith(end),
  );
}

/** Length of the beginning of a text that continues a key cut off there. */
export function lengthOfBody(text: string, { body }: KeyFormat): number {
  return new RegExp(`^${body}*`).exec(text)?.[0].length ?? 0;
}

interface KeyCandidate {
  readonly start: number;
  /** End of the prefix. */
  readonly end: number;
  readonly prefix: Prefix;
}

/** Next prefix of a key at or after `from`. */
function nextCandidate(text: string, from: number): KeyCandidate | undefined {
  for (
    let found = matcher.next(text, from);
    found !== undefined;
    found = matcher.next(text, found.start + 1)
  ) {
    const { start, end, name } = found;
    const prefix = prefixNamed.get(name);
    if (prefix !== undefined && (prefix.format.isAnywhere || isWordStart(text, start)))
      return { start, end, prefix };
  }
  return undefined;
}

/** True at the start of a word; `\n` and the like in JSON end the word before. */
function isWordStart(text: string, index: number): boolean {
  if (index === 0 || !/[\w-]/.test(text.charAt(index - 1))) return true;
  return text.charAt(index - 2) === '\\' && /[nrt]/.test(text.charAt(index - 1));
}

function endOf(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function restOf({ rest, body, least, hasDigit }: KeyFormat): string {
  return rest ?? `${hasDigit ? `(?=${body}*[0-9])` : ''}${body}{${least},}`;
}
