import { List, OrderedMap, Map as UnorderedMap } from 'immutable';

/**
 * Immutable map: `set` returns another one that shares unchanged parts, at a cost that hardly depends on
 * the size. The interface hides the library from the rest of the code.
 */
export interface PersistentMap<Key, Value> extends Iterable<[Key, Value]> {
  readonly size: number;
  get(key: Key): Value | undefined;
  has(key: Key): boolean;
  set(key: Key, value: Value): PersistentMap<Key, Value>;
  delete(key: Key): PersistentMap<Key, Value>;
  keys(): Iterable<Key>;
  values(): Iterable<Value>;
  /** Makes several changes at the cost of one; `mutable` must not be kept. */
  withMutations(change: (mutable: PersistentMap<Key, Value>) => void): PersistentMap<Key, Value>;
}

/** Immutable list that grows at its end. */
export interface PersistentList<Value> extends Iterable<Value> {
  readonly size: number;
  get(index: number): Value | undefined;
  push(value: Value): PersistentList<Value>;
  toArray(): Value[];
  /**
   * Copy that `push` changes in place, until `asImmutable` ends that: a list of a million visits then has
   * no intermediate versions.
   */
  asMutable(): PersistentList<Value>;
  asImmutable(): PersistentList<Value>;
}

/** Empty map without an order. */
export function persistentMap<Key, Value>(): PersistentMap<Key, Value> {
  return UnorderedMap<Key, Value>();
}

/** Empty map that keeps the order of insertion. */
export function orderedPersistentMap<Key, Value>(): PersistentMap<Key, Value> {
  return OrderedMap<Key, Value>();
}

export function persistentList<Value>(): PersistentList<Value> {
  return List<Value>();
}

/**
 * Empty list for names of which a million may come, most of them again and again: it needs four bytes for each, in place. A
 * `push` that keeps the list as it was copies up to 1024 of them.
 */
export function nameList(): PersistentList<string> {
  return new NameList(new NameTable(), [], 0);
}

/** Names with numbers, in the order in which they first came. Lists share a table, which only grows. */
class NameTable {
  readonly names: string[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.names.push(name) - 1;
    this.#numbers.set(name, number);
    return number;
  }
}

/** Number of names in a part of a list. */
const part = 1024;
/** Names for which a part has room at first: most runs are short, and a worker has many of them. */
const roomAtFirst = 16;

/** Names of a list, each once, and their numbers in its order. */
interface NameData {
  readonly names: readonly string[];
  readonly numbers: Uint32Array;
}

/** List in parts of equal size, which other lists share: only the owner of the last one adds to it. */
class NameList implements PersistentList<string> {
  readonly #table: NameTable;
  #parts: Uint32Array[];
  #size: number;
  #ownership: 'frozen' | 'copied at push' | 'owned';

  constructor(
    table: NameTable,
    parts: Uint32Array[],
    size: number,
    ownership: 'frozen' | 'copied at push' = 'frozen',
  ) {
    this.#table = table;
    this.#parts = parts;
    this.#size = size;
    this.#ownership = ownership;
  }

  static ofData({ names, numbers }: NameData): NameList {
    const table = new NameTable();
    for (const name of names) table.numberOf(name);
    const parts: Uint32Array[] = [];
    for (let at = 0; at < numbers.length; at += part) parts.push(numbers.slice(at, at + part));
    return new NameList(table, parts, numbers.length);
  }

  toData(): NameData {
    const numbers = new Uint32Array(this.#size);
    for (const [index, of] of this.#parts.entries())
      numbers.set(of.subarray(0, Math.min(part, this.#size - index * part)), index * part);
    return { names: [...this.#table.names], numbers };
  }

  get size(): number {
    return this.#size;
  }

  get(index: number): string | undefined {
    if (index < 0 || index >= this.#size) return undefined;
    return this.#table.names[this.#parts[Math.floor(index / part)]?.[index % part] ?? -1];
  }

  push(name: string): PersistentList<string> {
    if (this.#ownership === 'frozen') return this.asMutable().push(name).asImmutable();
    if (this.#ownership === 'copied at push') this.#own();
    const index = this.#size % part;
    if (index === 0) this.#parts.push(new Uint32Array(roomAtFirst));
    this.#lastWithRoom(index)[index] = this.#table.numberOf(name);
    this.#size += 1;
    return this;
  }

  #lastWithRoom(index: number): Uint32Array {
    const last = this.#parts.at(-1) ?? new Uint32Array();
    if (index < last.length) return last;
    const larger = new Uint32Array(2 * index);
    larger.set(last);
    this.#parts[this.#parts.length - 1] = larger;
    return larger;
  }

  #own(): void {
    this.#parts = [...this.#parts];
    const last = this.#parts.at(-1);
    if (last !== undefined) this.#parts[this.#parts.length - 1] = last.slice();
    this.#ownership = 'owned';
  }

  toArray(): string[] {
    // With its final size: an array that grows needs several times the memory on the way.
    const names = new Array<string>(this.#size);
    for (let index = 0; index < names.length; index += 1) names[index] = this.get(index) ?? '';
    return names;
  }

  asMutable(): PersistentList<string> {
    return new NameList(this.#table, this.#parts, this.#size, 'copied at push');
  }

  asImmutable(): PersistentList<string> {
    this.#ownership = 'frozen';
    return this;
  }

  *[Symbol.iterator](): Iterator<string> {
    for (let index = 0; index < this.#size; index += 1) yield this.get(index) ?? '';
  }
}

/**
 * Value without persistent collections, as plain data that can be stored; parts that occur several times are the same object again. It
 * may hold objects, arrays, native maps and sets, and what JSON has.
 */
export function plainData(value: unknown): unknown {
  return new Copy(collectionData).of(value);
}

/** Value that `plainData` has made plain. */
export function valueOfData(data: unknown): unknown {
  return new Copy(collectionOfData).of(data);
}

/** Each collection becomes a native map with these keys, native maps included. */
const kindKey = 'kind';
const contentKey = 'content';

type CopyPart = (value: unknown) => unknown;

/** @returns undefined for anything but a collection */
function collectionData(value: object, copy: CopyPart): unknown {
  const data = (kind: string, content: unknown): unknown =>
    new Map([
      [kindKey, kind],
      [contentKey, content],
    ]);
  if (value instanceof NameList) return data('names', value.toData());
  if (value instanceof Map) return data('map', [...value].map(copy));
  if (value instanceof Set) return data('set', [...value].map(copy));
  if (OrderedMap.isOrderedMap(value)) return data('ordered', [...value].map(copy));
  if (UnorderedMap.isMap(value)) return data('unordered', [...value].map(copy));
  if (List.isList(value)) return data('list', [...value].map(copy));
  return undefined;
}

function collectionOfData(value: object, copy: CopyPart): unknown {
  if (!(value instanceof Map)) return undefined;
  const kind: unknown = value.get(kindKey);
  const content: unknown = value.get(contentKey);
  if (kind === 'names') return NameList.ofData(content as NameData);
  const values = (content as unknown[]).map(copy);
  if (kind === 'list') return List(values);
  if (kind === 'set') return new Set(values);
  const entries = values as [unknown, unknown][];
  if (kind === 'ordered') return OrderedMap(entries);
  return kind === 'unordered' ? UnorderedMap(entries) : new Map(entries);
}

/** Deep copy in which collections become others. */
class Copy {
  readonly #collection: (value: object, copy: CopyPart) => unknown;
  readonly #copies = new Map<object, unknown>();

  constructor(collection: (value: object, copy: CopyPart) => unknown) {
    this.#collection = collection;
  }

  of(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    const known = this.#copies.get(value);
    if (known !== undefined) return known;
    const copy = this.#collection(value, (part) => this.of(part)) ?? this.#plain(value);
    this.#copies.set(value, copy);
    return copy;
  }

  #plain(value: object): unknown {
    if (Array.isArray(value)) return value.map((part) => this.of(part));
    const copy: Record<string, unknown> = {};
    // A plain assignment to this key would set the prototype.
    for (const [key, part] of Object.entries(value))
      if (key === '__proto__')
        Object.defineProperty(copy, key, { value: this.of(part), enumerable: true, writable: true });
      else copy[key] = this.of(part);
    return copy;
  }
}

/** Last values of a list, at most `count`, in their order. */
export function lastOf<Value>(list: PersistentList<Value>, count: number): Value[] {
  const values: Value[] = [];
  for (let index = Math.max(0, list.size - count); index < list.size; index += 1) {
    values.push(list.get(index) as Value);
  }
  return values;
}
