import type { PropertyParseResult } from '../../parser/property/ast.js';
import { parseProperty } from '../../parser/property/parse.js';
import { checkPrefix } from '../attributes.js';
import type { Attribute, Graph } from '../graph.js';
import { perObject } from '../per-object.js';
import type { NamedProperty } from './monitor.js';

/** Property of a pipeline as its graph has it. */
export interface WrittenProperty {
  readonly name: string;
  readonly attribute: Attribute;
}

/** Properties in the `check.<name>` of a graph, in the order of the text. */
export function writtenProperties({ attributes }: Graph): readonly WrittenProperty[] {
  const found: WrittenProperty[] = [];
  for (const [name, attribute] of attributes)
    if (name.startsWith(checkPrefix)) found.push({ name: name.slice(checkPrefix.length), attribute });
  return found;
}

/** The property that an attribute says, parsed once. */
export const propertyIn: (attribute: Attribute) => PropertyParseResult = perObject(({ value }: Attribute) =>
  parseProperty(String(value)),
);

/** Properties of a graph, without those that cannot be read. */
export function propertiesOf(graph: Graph): readonly NamedProperty[] {
  return writtenProperties(graph).flatMap(({ name, attribute }) => {
    const { property } = propertyIn(attribute);
    return property === undefined
      ? []
      : [{ name, text: String(attribute.value).trim(), origin: 'pipeline' as const, property }];
  });
}
