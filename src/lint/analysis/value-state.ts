import { either, missing, type Shape } from './value-shape.js';

/** Values of keys where control is, by the number of the key. */
export interface State {
  /** Values in the context. */
  readonly values: readonly Shape[];
  /** Values that the branch around has set itself; empty if no parallel node merges its branches. */
  readonly own: readonly OwnValue[];
}

/** Value that the stages of a branch have set (SEMANTICS 107). */
export interface OwnValue {
  readonly shape: Shape;
  /** True if the branch has set the key on every path. */
  readonly isSure: boolean;
}

const unset: OwnValue = { shape: new Map(), isSure: false };

/** State in which no branch has set anything yet. */
export function stateOf(values: readonly Shape[], hasOwn: boolean): State {
  return { values, own: hasOwn ? values.map(() => unset) : [] };
}

/** State at the beginning of a branch. */
export function atBranch({ values, own }: State): State {
  return { values, own: own.map(() => unset) };
}

/** Values of either state; the first one itself if the other adds nothing. */
export function mergedStates(one: State, other: State): State {
  if (one === other) return one;
  const values = mergedLists(one.values, other.values, eitherOrFirst);
  const own = mergedLists(one.own, other.own, eitherOwn);
  return values === one.values && own === one.own ? one : { values, own };
}

function mergedLists<Item>(
  one: readonly Item[],
  other: readonly Item[],
  merge: (first: Item, second: Item) => Item,
): readonly Item[] {
  if (one === other) return one;
  const merged = one.map((item, index) => {
    const second = other[index];
    return second === undefined ? item : merge(item, second);
  });
  return merged.every((item, index) => item === one[index]) ? one : merged;
}

function eitherOrFirst(one: Shape, other: Shape): Shape {
  const both = either(one, other);
  return both.size === one.size && [...both.keys()].every((key) => one.has(key)) ? one : both;
}

function eitherOwn(one: OwnValue, other: OwnValue): OwnValue {
  const shape = eitherOrFirst(one.shape, other.shape);
  const isSure = one.isSure && other.isSure;
  return shape === one.shape && isSure === one.isSure ? one : { shape, isSure };
}

/** Copy of a state, on which a stage or a join acts. */
export class StateDraft implements State {
  readonly values: Shape[];
  readonly own: OwnValue[];

  constructor({ values, own }: State) {
    this.values = [...values];
    this.own = [...own];
  }

  /** The key has one of these values now. */
  set(number: number, shape: Shape): void {
    this.values[number] = shape;
    if (this.own.length > 0) this.own[number] = { shape, isSure: true };
  }

  /** The key has one of these values now, or the one before. */
  setPerhaps(number: number, shape: Shape): void {
    this.values[number] = either(this.values[number] ?? missing, shape);
    const own = this.own[number];
    if (own !== undefined) this.own[number] = { shape: either(own.shape, shape), isSure: own.isSure };
  }

  /** The key is removed, or is not. */
  removePerhaps(number: number): void {
    this.values[number] = either(this.values[number] ?? missing, missing);
    const own = this.own[number];
    if (own !== undefined) this.own[number] = { shape: own.shape, isSure: false };
  }
}
