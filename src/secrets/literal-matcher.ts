/** Text to be found, and the name of the secret that it spells. */
export interface Literal {
  readonly text: string;
  readonly name: string;
  /** True if the text may be broken into lines of 8 characters or more, also in the JSON spelling. */
  readonly isWrapped?: boolean;
}

/** Range of a text to hide. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** Finds any of many texts in another one. */
export interface LiteralMatcher {
  /** First match at or after `from`, and of several that begin there the longest. */
  next(text: string, from: number): SecretSpan | undefined;
  /** Start of a possible partial match at the end of the text, or `text.length`. */
  openAt(text: string): number;
}

const tableSize = 4096;

/**
 * Maximum of characters compared: lines of base64 are at least as long, so they contain at most one line
 * break.
 */
const mostCompared = 8;

/**
 * Minimum of characters of a wrapped literal before its first line break; a shorter first piece is not
 * matched, only the rest is. With a minimum of one, many lines of a tool would be held back until the next
 * one comes, because their last letter is the first of a literal.
 */
const fewestBeforeBreak = 4;

/**
 * Examines about every seventh character of a text without matches, by the method of Wu and Manber: two
 * characters give the least distance to the next match.
 */
export function literalMatcher(given: readonly Literal[]): LiteralMatcher {
  const literals = given.flatMap(withoutFirst);
  const lengths = literals.map(({ text, isWrapped }) =>
    isWrapped === true ? Math.min(text.length, mostCompared) : text.length,
  );
  const shortest = Math.min(...lengths);
  const shifts = new Uint8Array(tableSize).fill(Math.min(shortest - 1, 255));
  const buckets = new Map<number, Literal[]>();
  for (const literal of literals) {
    for (const beginning of beginningsOf(literal, shortest)) {
      for (let index = 1; index < shortest; index += 1) {
        const hash = hashAt(beginning, index);
        shifts[hash] = Math.min(shifts[hash] ?? 0, shortest - 1 - index);
      }
      addTo(buckets, hashAt(beginning, shortest - 1), literal);
    }
  }
  for (const bucket of buckets.values()) bucket.sort((one, other) => other.text.length - one.text.length);
  const next = (text: string, from: number): SecretSpan | undefined => {
    let index = from + shortest - 1;
    while (index < text.length) {
      const hash = hashAt(text, index);
      const shift = shifts[hash] ?? 0;
      if (shift === 0) {
        const start = index - shortest + 1;
        for (const literal of buckets.get(hash) ?? []) {
          const end = endOf(literal, text, start);
          if (end !== undefined) return { start, end, name: literal.name };
        }
      }
      index += shift || 1;
    }
    return undefined;
  };
  return { next, openAt: openingOf(literals) };
}

/** A literal, and for a wrapped one also its rest after a line break within its first characters. */
function withoutFirst(literal: Literal): readonly Literal[] {
  if (literal.isWrapped !== true) return [literal];
  const { length } = literal.text;
  const left = Array.from({ length: fewestBeforeBreak }, (_, first) => literal.text.slice(first));
  return left
    .filter((text) => text.length >= Math.min(length, mostCompared))
    .map((text) => ({ ...literal, text }));
}

function hashAt(text: string, index: number): number {
  return ((text.charCodeAt(index - 1) << 5) ^ text.charCodeAt(index)) & (tableSize - 1);
}

const lineBreaks: readonly string[] = ['\n', '\r\n', '\\n', '\\r\\n'];
const longestBreak = 4;

/** Beginnings of all spellings of a literal, with at most one line break. */
function beginningsOf({ text, isWrapped }: Literal, length: number): ReadonlySet<string> {
  const beginnings = new Set([text.slice(0, length)]);
  if (isWrapped !== true) return beginnings;
  for (let index = fewestBeforeBreak; index < length; index += 1) {
    for (const lineBreak of lineBreaks) {
      beginnings.add((text.slice(0, index) + lineBreak + text.slice(index)).slice(0, length));
    }
  }
  return beginnings;
}

/** End of a literal that begins at `start`; undefined if it does not match. */
function endOf(literal: Literal, text: string, start: number): number | undefined {
  if (text.startsWith(literal.text, start)) return start + literal.text.length;
  if (literal.isWrapped !== true) return undefined;
  const { matched, end } = followWrapped(literal.text, text, start);
  return matched === literal.text.length ? end : undefined;
}

/** Number of characters of a wrapped literal that match at `start`, and the end of the last of them. */
function followWrapped(literal: string, text: string, start: number): { matched: number; end: number } {
  let end = start;
  for (let matched = 0; matched < literal.length; matched += 1) {
    let at = end;
    if (matched >= fewestBeforeBreak && text[at] !== literal[matched]) {
      at += lineBreaks.find((lineBreak) => text.startsWith(lineBreak, at))?.length ?? 0;
    }
    if (at === text.length || text[at] !== literal[matched]) return { matched, end };
    end = at + 1;
  }
  return { matched: literal.length, end };
}

function openingOf(literals: readonly Literal[]): LiteralMatcher['openAt'] {
  const longest = Math.max(
    ...literals.map(({ text, isWrapped }) => text.length * (isWrapped === true ? 1 + longestBreak : 1)),
  );
  const byFirst = new Map<number, Literal[]>();
  for (const literal of literals) addTo(byFirst, literal.text.charCodeAt(0), literal);
  return (text) => {
    for (let start = Math.max(0, text.length - longest + 1); start < text.length; start += 1) {
      const candidates = byFirst.get(text.charCodeAt(start));
      if (candidates?.some((literal) => mayContinue(literal, text, start))) return start;
    }
    return text.length;
  };
}

/** True if a literal may begin at `start` and continue after the text. */
function mayContinue(literal: Literal, text: string, start: number): boolean {
  const { length } = literal.text;
  if (length > text.length - start && literal.text.startsWith(text.slice(start))) return true;
  if (literal.isWrapped !== true) return false;
  const { matched, end } = followWrapped(literal.text, text, start);
  const rest = text.slice(end);
  if (matched === length) return false;
  const mayBreak = matched >= fewestBeforeBreak && lineBreaks.some((lineBreak) => lineBreak.startsWith(rest));
  return rest === '' || mayBreak;
}

function addTo<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
