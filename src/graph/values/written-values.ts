import type { KeyEntry, ValueType } from '../../parser/key-list/ast.js';
import { describeType, fitsType } from '../../parser/key-list/value-type.js';
import type { JsonValue } from '../json.js';
import { lookUp } from '../look-up.js';

/** What is missing or ill-typed in the values that a stage has set, of the keys in its `writes` (SEMANTICS 103). */
export function problemsWithWrites(
  writes: readonly KeyEntry[],
  values: Readonly<Record<string, JsonValue>>,
): readonly string[] {
  const own = new Map(Object.entries(values));
  return writes.flatMap(({ key, type, isOptional }) => {
    const value = lookUp(key, { lookup: (name) => own.get(name) });
    if (isOptional && (value === undefined || value === null)) return [];
    if (value === undefined) return [`${key}: expected ${describeType(type)}, but it is missing`];
    return fitsType(type, value) ? [] : [`${key}: expected ${describeType(type)}, found ${shown(value)}`];
  });
}

const longestShown = 60;

function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}

/** Values of their types for the keys that a simulated stage has not set; none for optional ones. */
export function simulatedWrites(
  writes: readonly KeyEntry[],
  isSet: (key: string) => boolean,
): ReadonlyMap<string, JsonValue> {
  const missing = writes.filter(({ key, isOptional }) => !isOptional && !isSet(key));
  return new Map(missing.map(({ key, type }) => [key, simulatedValue(type)]));
}

function simulatedValue(type: ValueType | undefined): JsonValue {
  switch (type?.kind) {
    case 'number':
    case 'integer':
      return 0;
    case 'boolean':
      return false;
    case 'list':
      return [];
    case 'map':
      return {};
    case 'words':
      return type.words[0] ?? '';
    case 'string':
    case 'any':
    case undefined:
      return '';
  }
}
