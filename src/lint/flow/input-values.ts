import { evaluateCondition } from '../../graph/evaluate-condition.js';
import type { Graph } from '../../graph/graph.js';
import type { JsonValue } from '../../graph/json.js';
import { textOfValue } from '../../graph/look-up.js';
import { declaredInputs, type Inputs } from '../../graph/values/declared-inputs.js';
import type { KeyEntry } from '../../parser/key-list/ast.js';
import { fitsType, readTyped } from '../../parser/key-list/value-type.js';
import type { Atom } from '../conditions/formula.js';
import { representatives } from '../conditions/representatives.js';
import { scopeOf } from '../conditions/variable.js';
import type { FlowValues } from './flow-state.js';

/** Context keys of inputs begin so. Each is a key of its own without it, too (SEMANTICS 97). */
export const inputPrefix = 'inputs.';

/** Values of an input that conditions tell apart. */
export interface InputValues {
  /** Undefined for an input that is not given. */
  readonly values: readonly (JsonValue | undefined)[];
  /** False if there are others. */
  readonly areAll: boolean;
}

/** Name of the input that a flat key reads, as a whole; undefined for any other key. */
export function inputRead(graph: Graph, key: string): string | undefined {
  const declared = declaredInputs(graph);
  if (!key.startsWith(inputPrefix)) return declared?.has(key) === true ? key : undefined;
  const name = key.slice(inputPrefix.length);
  const isWhole = declared === undefined ? !name.includes('.') : declared.has(name);
  return isWhole && !name.includes('*') ? name : undefined;
}

/**
 * Values of an input, its default first, so that a run needs to be given nothing.
 * @param atoms tests of its keys
 * @returns undefined for one of which no value is known
 */
export function inputValues(graph: Graph, name: string, atoms: readonly Atom[]): InputValues | undefined {
  const declared = declaredInputs(graph);
  const entry = declared?.get(name);
  const own = declared === undefined ? undeclaredValues(atoms) : declaredValues(entry, atoms);
  const byTruth = new Map<string, JsonValue | undefined>();
  for (const value of own?.values ?? []) {
    const truth = truthOf(atoms, value);
    if (!byTruth.has(truth)) byTruth.set(truth, value);
  }
  return own === undefined || byTruth.size === 0
    ? undefined
    : { values: [...byTruth.values()], areAll: own.areAll };
}

/** A pipeline that declares no inputs takes any, as texts and as JSON. */
function undeclaredValues(atoms: readonly Atom[]): InputValues | undefined {
  const open = openValues(atoms);
  return open && { values: [undefined, ...open.values], areAll: open.areAll };
}

function declaredValues(entry: KeyEntry | undefined, atoms: readonly Atom[]): InputValues | undefined {
  if (entry === undefined) return undefined;
  const { type, isOptional, default: literal } = entry;
  const first: JsonValue[] = literal === undefined ? [] : [literal.value];
  if (isOptional) first.push(null);
  if (type?.kind === 'words') return { values: [...first, ...type.words], areAll: true };
  if (type?.kind === 'boolean') return { values: [...first, true, false], areAll: true };
  const open = openValues(atoms);
  if (open === undefined) return undefined;
  const typed = typedValues(entry, open);
  const isScalar = type?.kind !== 'list' && type?.kind !== 'map';
  return { values: [...first, ...typed], areAll: open.areAll && isScalar };
}

/** Values that fit the type of an input. */
function typedValues({ type }: KeyEntry, { values, literals }: OpenValues): readonly JsonValue[] {
  if (type?.kind === 'integer' || type?.kind === 'number') {
    const mentioned = [0, ...literals.map(Number).filter(Number.isFinite)];
    // Between any two that are mentioned, and beyond them.
    const near = mentioned.flatMap((number) => [number, number - 1, number + 1, number - 0.5, number + 0.5]);
    return near.filter((number) => fitsType(type, number));
  }
  return values.flatMap((value): readonly JsonValue[] => {
    if (value === undefined) return [];
    if (fitsType(type, value)) return [value];
    const read = typeof value === 'object' ? undefined : readTyped(type, textOfValue(value));
    return read === undefined ? [] : [read];
  });
}

/** Values of a key that may have any, with the texts that it is compared with. */
interface OpenValues extends InputValues {
  readonly literals: readonly string[];
}

function openValues(atoms: readonly Atom[]): OpenValues | undefined {
  const names = [...new Set(atoms.map(({ variable: { name } }) => name))];
  // Of two keys with the same value, each has representatives for its own tests only.
  let areAll = names.length < 2;
  const values: (JsonValue | undefined)[] = [];
  const literals: string[] = [];
  for (const name of names) {
    const own = atoms.filter(({ variable }) => variable.name === name);
    const variable = representatives({ kind: 'key', name }, own, () => ({ kind: 'any' }));
    if (variable === undefined) return undefined;
    const known = variable.values.filter(({ certainty }) => certainty !== 'assumed');
    values.push(...known.map(({ value }) => value));
    literals.push(...variable.literals);
    areAll &&= known.length === variable.values.length;
  }
  return { values, areAll, literals };
}

function truthOf(atoms: readonly Atom[], value: JsonValue | undefined): string {
  return atoms
    .map(({ clause, variable: { name } }) => Number(evaluateCondition(clause, scopeOf([[name, value]]))))
    .join('');
}

/** Most beginnings of runs that are followed. */
const mostBeginnings = 64;

/** Values with which runs may begin: each way to give the inputs that conditions read. */
export function beginningsOf(
  inputs: ReadonlyMap<string, InputValues>,
  isRead: (key: string) => boolean,
): {
  readonly beginnings: readonly FlowValues[];
  readonly areAll: boolean;
} {
  let beginnings: FlowValues[] = [new Map()];
  let areAll = true;
  for (const [name, { values, areAll: isWhole }] of inputs) {
    areAll &&= isWhole;
    const isTooMuch = beginnings.length * values.length > mostBeginnings;
    if (isTooMuch) areAll = false;
    const own = isTooMuch ? values.slice(0, 1) : values;
    beginnings = own.flatMap((value) => beginnings.map((before) => withInput(before, name, value, isRead)));
  }
  return { beginnings, areAll };
}

function withInput(
  before: FlowValues,
  name: string,
  value: JsonValue | undefined,
  isRead: (key: string) => boolean,
): FlowValues {
  if (value === undefined) return before;
  const after = new Map(before).set(inputPrefix + name, value);
  // A stage may change the key without the prefix.
  return isRead(name) ? after.set(name, value) : after;
}

/** Inputs that a run must be given to begin with these values, without those that it has by default. */
export function givenInputs(graph: Graph, values: FlowValues): Inputs {
  const declared = declaredInputs(graph);
  const given = [...values].flatMap(([key, value]): [string, JsonValue][] => {
    if (!key.startsWith(inputPrefix)) return [];
    const name = key.slice(inputPrefix.length);
    const entry = declared?.get(name);
    const isDefault =
      entry?.default === undefined ? entry?.isOptional && value === null : entry.default.value === value;
    return isDefault ? [] : [[name, value]];
  });
  return Object.fromEntries(given);
}
