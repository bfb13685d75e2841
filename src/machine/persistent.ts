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

/** Last values of a list, at most `count`, in their order. */
export function lastOf<Value>(list: PersistentList<Value>, count: number): Value[] {
  const values: Value[] = [];
  for (let index = Math.max(0, list.size - count); index < list.size; index += 1) {
    values.push(list.get(index) as Value);
  }
  return values;
}
