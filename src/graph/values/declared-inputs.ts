import { nearestName } from '../../diagnostic/did-you-mean.js';
import type { KeyEntry } from '../../parser/key-list/ast.js';
import { describeType, fitsType, readTyped } from '../../parser/key-list/value-type.js';
import type { Attribute, Graph } from '../graph.js';
import type { JsonValue } from '../json.js';
import { perObject } from '../per-object.js';
import { foundText } from './found-text.js';
import { keyListOf } from './key-lists.js';

/** The inputs that a graph declares, by name in their order (SEMANTICS 101). */
export type DeclaredInputs = ReadonlyMap<string, KeyEntry>;

export type Inputs = Readonly<Record<string, JsonValue>>;

/** Undefined for a graph without an `inputs` attribute, which takes any inputs, and where the list has an error. */
export function declaredInputs(graph: Graph): DeclaredInputs | undefined {
  const attribute = graph.attributes.get('inputs');
  return attribute && entriesByKey(attribute).entries;
}

const entriesByKey = perObject((attribute: Attribute): { readonly entries: DeclaredInputs | undefined } => {
  const { list } = keyListOf(attribute);
  return { entries: list && new Map(list.entries.map((entry) => [entry.key, entry])) };
});

/** Something wrong with the inputs that a run is given. */
export interface InputProblem {
  readonly input: string;
  readonly kind: 'missing' | 'type' | 'undeclared';
  /** Without the name of the input: "expected an integer, found "ten"". */
  readonly message: string;
}

/**
 * The values that texts mean (`--set`, fields of forms, quoted `params.`): by the declared type, or as JSON where none is
 * declared and the text is a number, boolean, null, list or map (SEMANTICS 97). A text that does not fit its type stays a
 * text, for `checkDeclaredInputs` to find.
 */
export function readInputTexts(
  texts: Iterable<readonly [string, string]>,
  declared: DeclaredInputs | undefined,
): Inputs {
  const values = [...texts].map(([name, text]): [string, JsonValue] => {
    const value = readTyped(declared?.get(name)?.type, text);
    return [name, value === undefined ? text : value];
  });
  return Object.fromEntries(values);
}

/** The inputs with the defaults of those that are not given: of one with a `?` this is `null`. */
export function withDefaultInputs(inputs: Inputs, declared: DeclaredInputs | undefined): Inputs {
  if (declared === undefined) return inputs;
  const defaults = [...declared.values()].flatMap((entry): readonly [string, JsonValue][] => {
    const { key, isOptional, default: literal } = entry;
    if (isGiven(inputs, key)) return [];
    if (literal !== undefined) return [[key, literal.value]];
    return isOptional ? [[key, null]] : [];
  });
  return defaults.length === 0 ? inputs : Object.fromEntries([...Object.entries(inputs), ...defaults]);
}

/** All that is wrong with the inputs of a run, in the order of their declaration, undeclared ones last (SEMANTICS 101). */
export function checkDeclaredInputs(
  inputs: Inputs,
  declared: DeclaredInputs | undefined,
): readonly InputProblem[] {
  if (declared === undefined) return [];
  const problems = [...declared.values()].flatMap((entry) => problemOf(entry, inputs) ?? []);
  const undeclared = Object.keys(inputs).filter((name) => !declared.has(name));
  return [...problems, ...undeclared.map((input) => undeclaredProblem(input, declared))];
}

function problemOf(
  { key, type, isOptional, default: literal }: KeyEntry,
  inputs: Inputs,
): InputProblem | undefined {
  if (!isGiven(inputs, key)) {
    if (isOptional || literal !== undefined) return undefined;
    return { input: key, kind: 'missing', message: `expected ${describeType(type)}, but it is not given` };
  }
  const value = inputs[key];
  if (value === null && isOptional) return undefined;
  if (value === null && type === undefined) return undefined;
  if (fitsType(type, value)) return undefined;
  return { input: key, kind: 'type', message: `expected ${describeType(type)}, found ${foundText(value)}` };
}

function undeclaredProblem(input: string, declared: DeclaredInputs): InputProblem {
  const names = [...declared.keys()];
  const nearest = nearestName(input, names);
  const rest =
    names.length === 0
      ? 'the pipeline declares no inputs'
      : nearest === undefined
        ? `the pipeline declares ${names.join(', ')}`
        : `did you mean "${nearest}"?`;
  return { input, kind: 'undeclared', message: `not declared (${rest})` };
}

function isGiven(inputs: Inputs, name: string): boolean {
  return Object.hasOwn(inputs, name);
}
