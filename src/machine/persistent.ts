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
  toArray(): Value[];
  /** A copy that `push` changes in place, until `asImmutable` ends that: a list of a million visits leaves no former selves behind. */
  asMutable(): PersistentList<Value>;
  asImmutable(): PersistentList<Value>;
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

/** The last values of a list, at most `count`, in their order. */
export function lastOf<Value>(list: PersistentList<Value>, count: number): Value[] {
  const values: Value[] = [];
  for (let index = Math.max(0, list.size - count); index < list.size; index += 1) {
    values.push(list.get(index) as Value);
  }
  return values;
}
