import { parameterPrefix } from './attributes.js';
import type { Attribute, AttributeValue, Node } from './graph.js';
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

function parameterValue(attribute: Attribute): Parameter['value'] {
  const { value } = attribute;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return parsedTemplate(attribute);
}
