/** A text to be found, and what it is a spelling of. */
export interface Literal {
  readonly text: string;
  readonly name: string;
}

/** A place in a text that is to be hidden. */
export interface Found {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** Finds any of many texts in another one. */
export interface LiteralMatcher {
  /** The first one from there on, and of several that begin there the longest. */
  next(text: string, from: number): Found | undefined;
  /** Where the first one begins that may go on behind the end of the text; its length where none does. */
  openAt(text: string): number;
}

const tableSize = 4096;

/**
 * Looks at every seventh character or so of a text that has none of them, by the method of Wu and Manber: two characters
 * say how far away the next occurrence is at least.
 */
export function literalMatcher(literals: readonly Literal[]): LiteralMatcher {
  const shortest = Math.min(...literals.map(({ text }) => text.length));
  const shifts = new Uint8Array(tableSize).fill(Math.min(shortest - 1, 255));
  const buckets = new Map<number, Literal[]>();
  for (const literal of literals) {
    for (let index = 1; index < shortest; index += 1) {
      const hash = hashAt(literal.text, index);
      shifts[hash] = Math.min(shifts[hash] ?? 0, shortest - 1 - index);
    }
    addTo(buckets, hashAt(literal.text, shortest - 1), literal);
  }
  for (const bucket of buckets.values()) bucket.sort((one, other) => other.text.length - one.text.length);
  const next = (text: string, from: number): Found | undefined => {
    let index = from + shortest - 1;
    while (index < text.length) {
      const hash = hashAt(text, index);
      const shift = shifts[hash] ?? 0;
      if (shift === 0) {
        const start = index - shortest + 1;
        const found = buckets.get(hash)?.find((literal) => text.startsWith(literal.text, start));
        if (found !== undefined) return { start, end: start + found.text.length, name: found.name };
      }
      index += shift || 1;
    }
    return undefined;
  };
  return { next, openAt: openingOf(literals) };
}

function hashAt(text: string, index: number): number {
  return ((text.charCodeAt(index - 1) << 5) ^ text.charCodeAt(index)) & (tableSize - 1);
}

function openingOf(literals: readonly Literal[]): LiteralMatcher['openAt'] {
  const longest = Math.max(...literals.map(({ text }) => text.length));
  const byFirst = new Map<number, Literal[]>();
  for (const literal of literals) addTo(byFirst, literal.text.charCodeAt(0), literal);
  return (text) => {
    for (let start = Math.max(0, text.length - longest + 1); start < text.length; start += 1) {
      const candidates = byFirst.get(text.charCodeAt(start));
      if (candidates?.some((literal) => goesOn(literal.text, text, start))) return start;
    }
    return text.length;
  };
}

function goesOn(literal: string, text: string, start: number): boolean {
  return literal.length > text.length - start && literal.startsWith(text.slice(start));
}

function addTo<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
