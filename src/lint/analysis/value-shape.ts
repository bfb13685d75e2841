import { isRecord, type JsonValue } from '../../graph/json.js';
import { isList, isPresent, walk } from '../../graph/values/walk.js';
import type { KeyEntry, ValueType } from '../../parser/key-list/ast.js';
import { fitsType } from '../../parser/key-list/value-type.js';

/** One kind of values that a path may have. */
export type Alternative =
  /** No value, or null. */
  | { readonly kind: 'missing' }
  /** Any value that is present, of which nothing is known. */
  | { readonly kind: 'present' }
  /** Value of a declared type, which is present. */
  | { readonly kind: 'type'; readonly type: ValueType; readonly members?: ReadonlyMap<string, Shape> }
  /** Exactly this value, which is present. */
  | { readonly kind: 'constant'; readonly value: JsonValue };

/** Values that a path may have, by a text of each alternative. */
export type Shape = ReadonlyMap<string, Alternative>;

/** Maximum of alternatives; nothing is claimed of more. */
const mostAlternatives = 40;

export const missing = shapeOf([{ kind: 'missing' }]);
/** Nothing is known. */
export const anything = shapeOf([{ kind: 'missing' }, { kind: 'present' }]);

export function shapeOf(alternatives: Iterable<Alternative>): Shape {
  const shape = new Map<string, Alternative>();
  for (const one of alternatives) shape.set(JSON.stringify(one, entriesOfMaps), one);
  return shape;
}

function entriesOfMaps(_: string, value: unknown): unknown {
  return value instanceof Map ? [...value] : value;
}

/** Shape of a value of a declared type. */
export function shapeOfType(type: ValueType | undefined): Shape {
  if (type === undefined || type.kind === 'any') return anything;
  return type.kind === 'words'
    ? shapeOf(type.words.map((value): Alternative => ({ kind: 'constant', value })))
    : shapeOf([{ kind: 'type', type }]);
}

export function shapeOfValue(value: JsonValue | undefined): Shape {
  return isPresent(value) ? shapeOf([{ kind: 'constant', value }]) : missing;
}

/** Values of either shape. */
export function either(one: Shape, other: Shape): Shape {
  if (one === other) return one;
  const all = new Map([...one, ...other]);
  return all.size > mostAlternatives || isUnknown(all) ? anything : all;
}

/** True if a present value may be anything. */
export function isUnknown(shape: Shape): boolean {
  return [...shape.values()].some(({ kind }) => kind === 'present');
}

export function mayBeMissing(shape: Shape): boolean {
  return [...shape.values()].some(({ kind }) => kind === 'missing');
}

export function mayBePresent(shape: Shape): boolean {
  return [...shape.values()].some(({ kind }) => kind !== 'missing');
}

/** The same values, all of which are present. */
export function withoutMissing(shape: Shape): Shape {
  return new Map([...shape].filter(([, { kind }]) => kind !== 'missing'));
}

/** The values that fit an entry of a `writes`; none if no value can (SEMANTICS 103). */
export function narrowed(shape: Shape, { type, isOptional }: Pick<KeyEntry, 'type' | 'isOptional'>): Shape {
  let result: Shape = new Map();
  for (const one of shape.values()) result = either(result, narrowedOne(one, type, isOptional));
  return result;
}

const none: Shape = new Map();

function narrowedOne(one: Alternative, type: ValueType | undefined, isOptional: boolean): Shape {
  if (type === undefined || type.kind === 'any') return shapeOf([one]);
  switch (one.kind) {
    case 'missing':
      return isOptional ? missing : none;
    case 'present':
      return shapeOfType(type);
    case 'constant':
      return fitsType(type, one.value) ? shapeOf([one]) : none;
    case 'type': {
      const { kind } = one.type;
      if (kind === type.kind || (kind === 'integer' && type.kind === 'number')) return shapeOf([one]);
      const holds =
        (kind === 'number' && type.kind === 'integer') || (kind === 'string' && type.kind === 'words');
      return holds || kind === 'any' ? shapeOfType(type) : none;
    }
  }
}

/** Values at a path below. */
export function shapeBelow(shape: Shape, path: readonly string[]): Shape {
  if (path.length === 0) return shape;
  let result: Shape = new Map();
  for (const one of shape.values()) result = either(result, below(one, path));
  return result;
}

function below(one: Alternative, path: readonly string[]): Shape {
  const [segment = '', ...rest] = path;
  switch (one.kind) {
    case 'missing':
      return missing;
    case 'present':
      return anything;
    case 'constant':
      return shapeOfValue(walk(one.value, path));
    case 'type': {
      const member = one.members?.get(segment);
      if (member !== undefined) return shapeBelow(member, rest);
      return hasMembers(one.type) ? anything : missing;
    }
  }
}

/** False for a type whose values have nothing below them. */
function hasMembers({ kind }: ValueType): boolean {
  return kind === 'list' || kind === 'map' || kind === 'any';
}

/** True if a value of this alternative may have a part. */
export function mayHaveMembers(one: Alternative): boolean {
  switch (one.kind) {
    case 'missing':
      return false;
    case 'present':
      return true;
    case 'type':
      return hasMembers(one.type);
    case 'constant':
      return isList(one.value) || isRecord(one.value);
  }
}
