/** A text to be found, and what it is a spelling of. */
export interface Literal {
  readonly text: string;
  readonly name: string;
  /** Whether its text may be broken into lines of 8 characters or more, also as JSON writes them. */
  readonly isWrapped?: boolean;
}

/** A place in a text that is to be hidden. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** Finds any of many texts in another one. */
export interface LiteralMatcher {
  /** The first one from there on, and of several that begin there the longest. */
  next(text: string, from: number): SecretSpan | undefined;
  /** Where the first one begins that may continue after the end of the text; its length where none does. */
  openAt(text: string): number;
}

const tableSize = 4096;

/** Lines of base64 are at least as long, so that no more than one line break is in as many characters. */
const mostCompared = 8;

/**
 * Characters of a wrapped literal that come before its first line break, at least. What begins with fewer of them is found without them. If one
 * were enough, many a line of a tool would be held back until the next one comes, since its last letter is the first of a literal.
 */
const fewestBeforeBreak = 4;

/**
 * Looks at every seventh character or so of a text that has none of them, by the method of Wu and Manber: two characters
 * say how far away the next occurrence is at least.
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

/** A literal, and of a wrapped one also what is left of it where a line break stands within its first characters. */
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

/** The first characters of all texts that a literal stands for, one line break among them at most. */
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

/** Where a literal ends that begins there; undefined where it does not. */
function endOf(literal: Literal, text: string, start: number): number | undefined {
  if (text.startsWith(literal.text, start)) return start + literal.text.length;
  if (literal.isWrapped !== true) return undefined;
  const { matched, end } = followWrapped(literal.text, text, start);
  return matched === literal.text.length ? end : undefined;
}

/** How many characters of a wrapped literal stand there, and where the last of them ends. */
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

/** Whether a literal may begin there that ends after the text. */
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
