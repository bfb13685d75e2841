import { List, OrderedMap, Map as UnorderedMap } from 'immutable';

/**
 * A map that is never changed: `set` gives another one that shares what is the same, at the same cost however large it is.
 * The interface is what the rest of the code knows of the library behind it.
 */
export interface PersistentMap<Key, Value> extends Iterable<[Key, Value]> {
  readonly size: number;
  get(key: Key): Value | undefined;
  has(key: Key): boolean;
  set(key: Key, value: Value): PersistentMap<Key, Value>;
  keys(): Iterable<Key>;
  values(): Iterable<Value>;
  /** Several changes at the cost of one; `mutable` must not be kept. */
  withMutations(change: (mutable: PersistentMap<Key, Value>) => void): PersistentMap<Key, Value>;
}

/** The same for a list that grows at its end. */
export interface PersistentList<Value> extends Iterable<Value> {
  readonly size: number;
  get(index: number): Value | undefined;
  push(value: Value): PersistentList<Value>;
  concat(values: readonly Value[]): PersistentList<Value>;
  toArray(): Value[];
}

/** An empty map that keeps no order. */
export function persistentMap<Key, Value>(): PersistentMap<Key, Value> {
  return UnorderedMap<Key, Value>();
}

/** An empty map that keeps the order in which keys came. */
export function orderedPersistentMap<Key, Value>(): PersistentMap<Key, Value> {
  return OrderedMap<Key, Value>();
}

export function persistentList<Value>(): PersistentList<Value> {
  return List<Value>();
}

/** An empty list that will most likely stay short, as what one of many branches has done. */
export function shortPersistentList<Value>(): PersistentList<Value> {
  return emptyList as PersistentList<Value>;
}

/** The last values of a list, at most `count`, in their order. */
export function lastOf<Value>(list: PersistentList<Value>, count: number): Value[] {
  const values: Value[] = [];
  for (let index = Math.max(0, list.size - count); index < list.size; index += 1) {
    values.push(list.get(index) as Value);
  }
  return values;
}

/** A copy, made at once, that `set` changes in place; the original stays as it is. */
export function thawedMap<Key, Value>(map: PersistentMap<Key, Value>): PersistentMap<Key, Value> {
  return new OverlayMap(map);
}

/** The same for a list. */
export function thawedList<Value>(list: PersistentList<Value>): PersistentList<Value> {
  return new OverlayList(list);
}

/** Ends the changing in place. */
export function frozenMap<Key, Value>(map: PersistentMap<Key, Value>): PersistentMap<Key, Value> {
  if (!(map instanceof OverlayMap)) return map;
  const { base, changes } = map as OverlayMap<Key, Value>;
  if (changes.size === 0) return base;
  return base.withMutations((mutable) => {
    for (const [key, value] of changes) mutable.set(key, value);
  });
}

/** The same for a list. */
export function frozenList<Value>(list: PersistentList<Value>): PersistentList<Value> {
  if (!(list instanceof OverlayList)) return list;
  const { base } = list as OverlayList<Value>;
  return list.size === base.size ? base : base.concat((list as OverlayList<Value>).added());
}

const longestCopied = 16;

/** A short list: copied as a whole with each value that is added, which is the cheapest way as long as it is short. */
class CopiedList<Value> implements PersistentList<Value> {
  readonly #values: readonly Value[];

  constructor(values: readonly Value[]) {
    this.#values = values;
  }

  get size(): number {
    return this.#values.length;
  }

  get(index: number): Value | undefined {
    return this.#values[index];
  }

  push(value: Value): PersistentList<Value> {
    if (this.size >= longestCopied) return List(this.#values).push(value);
    return new CopiedList([...this.#values, value]);
  }

  concat(values: readonly Value[]): PersistentList<Value> {
    return values.reduce<PersistentList<Value>>((list, value) => list.push(value), this);
  }

  toArray(): Value[] {
    return this.#values.slice();
  }

  [Symbol.iterator](): Iterator<Value> {
    return this.#values[Symbol.iterator]();
  }
}

const emptyList = new CopiedList<never>([]);

// What a draft changes in place. A run that one process drives from beginning to end has all its growing collections here,
// where a change costs a tenth of one in a persistent collection; a single decision has a few changes on top of a large
// state that it shares.

/** The changes of a map, on top of one that stays as it is. */
class OverlayMap<Key, Value> implements PersistentMap<Key, Value> {
  readonly base: PersistentMap<Key, Value>;
  readonly changes = new Map<Key, Value>();
  /** How many of the changes are keys that the base does not have. */
  #added = 0;

  constructor(base: PersistentMap<Key, Value>) {
    this.base = base;
  }

  get size(): number {
    return this.base.size + this.#added;
  }

  get(key: Key): Value | undefined {
    const changed = this.changes.get(key);
    if (changed !== undefined || this.base.size === 0) return changed;
    return this.changes.has(key) ? changed : this.base.get(key);
  }

  has(key: Key): boolean {
    return this.changes.has(key) || this.base.has(key);
  }

  set(key: Key, value: Value): this {
    const before = this.changes.size;
    this.changes.set(key, value);
    const isNew = this.changes.size > before;
    if (isNew && (this.base.size === 0 || !this.base.has(key))) this.#added += 1;
    return this;
  }

  *keys(): Iterable<Key> {
    for (const [key] of this) yield key;
  }

  *values(): Iterable<Value> {
    for (const [, value] of this) yield value;
  }

  /** In the order in which the keys came, as far as the base keeps it. */
  *[Symbol.iterator](): Iterator<[Key, Value]> {
    if (this.base.size === 0) return yield* this.changes;
    for (const [key, value] of this.base) {
      yield this.changes.has(key) ? [key, this.changes.get(key) as Value] : [key, value];
    }
    for (const entry of this.changes) if (!this.base.has(entry[0])) yield entry;
  }

  withMutations(change: (mutable: PersistentMap<Key, Value>) => void): this {
    change(this);
    return this;
  }
}

const blockBits = 15;
const blockSize = 1 << blockBits;

/**
 * What is added to a list, behind one that stays as it is; in blocks, because an array that grows by itself leaves copies
 * of its former self behind, which for a path of a million nodes is most of the memory of a run.
 */
class OverlayList<Value> implements PersistentList<Value> {
  readonly base: PersistentList<Value>;
  readonly #blocks: Value[][] = [];
  #last: Value[] = [];
  /** How much of the last block is in use. */
  #used = 0;

  constructor(base: PersistentList<Value>) {
    this.base = base;
  }

  get size(): number {
    return this.base.size + this.#blocks.length * blockSize + this.#used;
  }

  get(index: number): Value | undefined {
    const own = index - this.base.size;
    if (own < 0) return this.base.get(index);
    return (this.#blocks[own >> blockBits] ?? this.#last)[own % blockSize];
  }

  push(value: Value): this {
    if (this.#used === blockSize) {
      this.#blocks.push(this.#last);
      // Made as large as it will be, so that the collector never moves it.
      this.#last = new Array<Value>(blockSize);
      this.#used = 0;
    }
    this.#last[this.#used] = value;
    this.#used += 1;
    return this;
  }

  concat(values: readonly Value[]): this {
    for (const value of values) this.push(value);
    return this;
  }

  added(): Value[] {
    return valuesFrom(this, this.base.size);
  }

  toArray(): Value[] {
    return valuesFrom(this, 0);
  }

  *[Symbol.iterator](): Iterator<Value> {
    yield* this.base;
    for (const block of this.#blocks) yield* block;
    yield* this.#last.slice(0, this.#used);
  }
}

function valuesFrom<Value>(list: PersistentList<Value>, start: number): Value[] {
  return Array.from({ length: list.size - start }, (_, index) => list.get(start + index) as Value);
}
