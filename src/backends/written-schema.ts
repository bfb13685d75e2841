import { describeType, type KeyEntry, type ValueType } from '../graph/values/key-lists.js';

/**
 * Dialect of the schemas that a wire format takes: JSON Schema, or the subset of OpenAPI that Google has, in
 * which every value has a type, and every list one of its items.
 */
export type SchemaDialect = 'json_schema' | 'openapi';

/** Schema of `context_updates`, with the keys that a stage must report (SEMANTICS 103). */
export function contextUpdatesSchema(writes: readonly KeyEntry[], dialect: SchemaDialect): object {
  const properties = writes.map(({ key, type }): [string, object] => [key, schemaOf(type, dialect)]);
  const required = writes.filter(({ isOptional }) => !isOptional).map(({ key }) => key);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required,
    additionalProperties: true,
    description: 'Values that later stages need, by name. A success must have those that are required.',
  };
}

function schemaOf(type: ValueType | undefined, dialect: SchemaDialect): object {
  switch (type?.kind) {
    case 'words':
      return { type: 'string', enum: type.words };
    case 'list':
      return { type: 'array', items: anyValue(dialect) };
    case 'map':
      return { type: 'object', additionalProperties: true };
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
      return { type: type.kind };
    case 'any':
    case undefined:
      return anyValue(dialect);
  }
}

const scalars = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] as const;

function anyValue(dialect: SchemaDialect): object {
  if (dialect === 'json_schema') return {};
  return { anyOf: [...scalars, { type: 'array', items: { anyOf: scalars } }, { type: 'object' }] };
}

/** Keys in words, for a prompt: `verdict (one of pass, fail), note (a string, optional)`. */
export function describeWrites(writes: readonly KeyEntry[]): string {
  return writes
    .map(({ key, type, isOptional }) => `${key} (${describeType(type)}${isOptional ? ', optional' : ''})`)
    .join(', ');
}

/** True if a success must report a key. */
export function requiresWrites(writes: readonly KeyEntry[] | undefined): boolean {
  return writes?.some(({ isOptional }) => !isOptional) === true;
}
