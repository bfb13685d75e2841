import type { ValueType } from '../parser/key-list/ast.js';
import { readTyped } from '../parser/key-list/value-type.js';
import { parameterPrefix } from './attributes.js';
import type { Attribute, AttributeValue, Node } from './graph.js';
import type { JsonValue } from './json.js';
import { parsedTemplate, type Template } from './templates.js';

/** Input that a node gives to the pipeline it runs: a value, or a text with values of the run in it. */
export interface Parameter {
  readonly name: string;
  readonly value: Exclude<AttributeValue, string | object> | Template;
}

/** The `params.<key>` attributes of a node (§9.4), in the order in which they are written; a duration is its text. */
export function parametersOf(node: Node): readonly Parameter[] {
  return [...node.attributes.values()]
    .filter(({ name }) => name.startsWith(parameterPrefix) && name.length > parameterPrefix.length)
    .map((attribute) => ({
      name: attribute.name.slice(parameterPrefix.length),
      value: parameterValue(attribute),
    }));
}

/**
 * Value of an input of a child by its declared type: a text is read by it, as that of a form is (SEMANTICS 101). A text that
 * does not fit stays a text.
 */
export function readParameter(value: JsonValue, type: ValueType | undefined): JsonValue {
  if (typeof value !== 'string' || type === undefined || type.kind === 'any') return value;
  return readTyped(type, value) ?? value;
}

function parameterValue(attribute: Attribute): Parameter['value'] {
  const { value } = attribute;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return parsedTemplate(attribute);
}
