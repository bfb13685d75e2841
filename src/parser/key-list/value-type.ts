import type { LiteralValue, ValueType } from './ast.js';

/** True where a JSON value is of a type (SEMANTICS 100, 101): 3.0 is an integer, and null is of no type but `any`. */
export function fitsType(type: ValueType | undefined, value: unknown): boolean {
  switch (type?.kind) {
    case undefined:
    case 'any':
      return true;
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type.kind;
    case 'integer':
      return Number.isInteger(value);
    case 'list':
      return Array.isArray(value);
    case 'map':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'words':
      return typeof value === 'string' && type.words.includes(value);
  }
}

/**
 * The value that a text means where a type is declared (SEMANTICS 101): a `string` takes it as it is, so that `1.10` and
 * `1e5` stay texts. Undefined where it means none of that type, also for integers too large to be exact.
 */
export function readTyped(type: ValueType | undefined, text: string): LiteralValue | undefined {
  if (type?.kind === 'string') return text;
  if (type?.kind === 'words') return type.words.includes(text) ? text : undefined;
  const value = parsedJson(text);
  if (type === undefined || type.kind === 'any')
    return value === undefined || typeof value === 'string' ? text : value;
  if (type.kind === 'integer' && !Number.isSafeInteger(value)) return undefined;
  return value !== undefined && value !== null && fitsType(type, value) ? value : undefined;
}

/** Undefined where the text is not JSON. */
function parsedJson(text: string): LiteralValue | undefined {
  try {
    return JSON.parse(text) as LiteralValue;
  } catch {
    return undefined;
  }
}

/** A type with its article, for messages: `an integer`, `one of low, high`. */
export function describeType(type: ValueType | undefined): string {
  switch (type?.kind) {
    case undefined:
    case 'any':
      return 'any value';
    case 'integer':
      return 'an integer';
    case 'words':
      return `one of ${type.words.map(spelled).join(', ')}`;
    case 'string':
    case 'number':
    case 'boolean':
    case 'list':
    case 'map':
      return `a ${type.kind}`;
  }
}

/** A type as a key list spells it: `integer`, `low|high`. */
export function typeText(type: ValueType): string {
  return type.kind === 'words' ? type.words.map(spelled).join('|') : type.kind;
}

function spelled(word: string): string {
  return /^[A-Za-z0-9_-]+$/.test(word) ? word : JSON.stringify(word);
}
