import type { JsonValue } from '../../graph/json.js';
import { listOf, type RyeGraph, type RyeMap, textOf } from './rye-graph.js';

/** Inputs of a graph as a key list (SEMANTICS 101). */
export function inputList({ inputs, required }: RyeGraph, lost: (message: string) => void): string {
  return [...inputs]
    .flatMap(([name, schema]) => {
      if (/^[A-Za-z_]\w*$/.test(name)) return entry(name, schema, required.includes(name));
      lost(`the input "${name}": a name has letters, digits and "_"`);
      return [];
    })
    .join(', ');
}

const types: ReadonlyMap<string, string> = new Map([
  ['string', 'string'],
  ['integer', 'integer'],
  ['number', 'number'],
  ['boolean', 'boolean'],
  ['array', 'list'],
  ['object', 'map'],
]);

function entry(name: string, schema: RyeMap, isRequired: boolean): string {
  const words = listOf(schema.enum).filter(
    (word) => typeof word === 'string' && /^[A-Za-z0-9_-]+$/.test(word),
  );
  const type =
    words.length > 1 && words.length === listOf(schema.enum).length
      ? words.join('|')
      : (types.get(textOf(schema.type)) ?? 'any');
  if (schema.default !== undefined && schema.default !== null)
    return `${name}: ${type} = ${literal(schema.default)}`;
  return `${name}: ${type}${isRequired ? '' : '?'}`;
}

function literal(value: JsonValue): string {
  return JSON.stringify(value);
}
