import { asNumber } from '../../graph/evaluate-condition.js';
import type { JsonValue } from '../../graph/json.js';
import type { ValueType } from '../../parser/key-list/ast.js';
import { fitsType, readTyped } from '../../parser/key-list/value-type.js';
import type { Atom, VariableName } from './formula.js';
import { numbersBetween } from './numbers-between.js';
import { atomKinds, freshWord, literalsOf, searchedTexts, subsets } from './representatives.js';
import { classify, type Draft } from './variable.js';

/** Values of a declared type, one for all that no condition tells from it. */
export interface TypedValues {
  readonly values: readonly JsonValue[];
  /** False if there may be others that some condition tells from them. */
  readonly areAll: boolean;
}

/**
 * Values of a type that conditions tell apart, besides the texts that represent values of any type: `context.n = 3` holds for the
 * text "3" and for the number, and only the number is an integer.
 * @param fits possible values of the type, if not all are
 */
export function typedValues(
  name: VariableName,
  atoms: readonly Atom[],
  type: ValueType | undefined,
  fits: (value: JsonValue) => boolean = () => true,
): TypedValues {
  const literals = [...new Set(atoms.flatMap(literalsOf))];
  const found = draftsOf(type, atoms, literals);
  if (found === undefined) return { values: [], areAll: false };
  const possible = found.filter(({ value }) => value !== undefined && fitsType(type, value) && fits(value));
  const variable = classify(name, atoms, literals, possible);
  if (variable === undefined) return { values: [], areAll: false };
  return {
    values: variable.values.flatMap(({ value, certainty }) =>
      certainty === 'assumed' || value === undefined ? [] : [value],
    ),
    areAll: variable.values.every(({ certainty }) => certainty !== 'assumed'),
  };
}

/** Undefined where they are too many. */
function draftsOf(
  type: ValueType | undefined,
  atoms: readonly Atom[],
  literals: readonly string[],
): readonly Draft[] | undefined {
  const { patterns, searches, textOrder } = atomKinds(atoms);
  const written = literals
    .map((text) => readTyped(type, text) as JsonValue | undefined)
    .filter((value) => value !== undefined);
  switch (type?.kind) {
    case 'boolean':
      return [true, false].map((value) => draftOf(value));
    case 'integer':
    case 'number': {
      const undecided = [...patterns, ...searches, ...textOrder];
      return numbersFor(literals, type.kind === 'integer').map((value) => draftOf(value, undecided));
    }
    case 'list': {
      const searched = searchedTexts(atoms);
      if (searched.length > mostSearched) return undefined;
      const lists = subsets(searched).flatMap((members) => [[...members], [...members, freshWord(literals)]]);
      return [...written, ...lists].map((value) => draftOf(value, patterns));
    }
    case 'map':
      return [...written, {}, { [freshWord(literals)]: true }].map((value) =>
        draftOf(value, [...patterns, ...searches]),
      );
    default:
      return [];
  }
}

/** Maximum of searched members: each subset of them is a separate value. */
const mostSearched = 5;

function draftOf(value: JsonValue, undecided: readonly Atom[] = []): Draft {
  return { value, role: 'literal', certainty: 'mentioned', undecided };
}

/** Numbers that are mentioned, those next to them and between them, and some that are not. */
function numbersFor(literals: readonly string[], areWhole: boolean): readonly number[] {
  const points = literals.flatMap((text) => asNumber(text) ?? []).filter(Number.isFinite);
  const near = points.flatMap((point) => [point, Math.floor(point) + 1, Math.ceil(point) - 1]);
  const between = areWhole ? [] : numbersBetween(points);
  const numbers = [...near, ...between, 1, 0, -1].filter((value) => typeof value === 'number');
  return [...new Set(numbers)];
}
