import type { ShellPart, ShellQuoting, ShellTemplate, Template } from '../parser/template/ast.js';
import { parseTemplate } from '../parser/template/parse.js';
import { parseShellTemplate } from '../parser/template/parse-shell.js';
import { describeRefusedPlace } from '../parser/template/refused-position.js';
import type { graphAttributes } from './attribute-tables/graph-attributes.js';
import type { nodeAttributes } from './attribute-tables/node-attributes.js';
import { graphAttribute, nodeAttribute } from './attributes.js';
import { type Attribute, attributeText, type Graph, type Node } from './graph.js';
import { perObject } from './per-object.js';

export type { ShellPart, Template };
export { describeRefusedPlace };

/** Attributes of a table that take `${path}`, in a text or in a command. */
type Templated<Table, Kind extends 'text' | 'shell'> = {
  [Name in keyof Table]: Table[Name] extends { readonly type: 'string'; readonly template: Kind }
    ? Name
    : never;
}[keyof Table];

/** Templated attribute of a node (SEMANTICS §12), parsed once. */
export function nodeTemplate(node: Node, name: Templated<typeof nodeAttributes, 'text'>): Template {
  const attribute = node.attributes.get(name);
  return attribute === undefined ? parseTemplate(nodeAttribute(node, name) ?? '') : parsedTemplate(attribute);
}

/** Templated attribute of the graph, parsed once. */
export function graphTemplate(graph: Graph, name: Templated<typeof graphAttributes, 'text'>): Template {
  const attribute = graph.attributes.get(name);
  return attribute === undefined
    ? parseTemplate(graphAttribute(graph, name) ?? '')
    : parsedTemplate(attribute);
}

/** Shell command of a node, parsed once. */
export function nodeShellTemplate(
  node: Node,
  name: Templated<typeof nodeAttributes, 'shell'>,
): ShellTemplate {
  const attribute = node.attributes.get(name);
  return attribute === undefined
    ? parseShellTemplate(nodeAttribute(node, name) ?? '')
    : parsedShellTemplate(attribute);
}

/** Text of any attribute, parsed once. */
export const parsedTemplate = perObject(
  ({ value }: Attribute): Template => parseTemplate(attributeText(value)),
);

/** Command in any attribute, parsed once. */
export const parsedShellTemplate = perObject(
  ({ value }: Attribute): ShellTemplate => parseShellTemplate(attributeText(value)),
);

/**
 * Reference of a command to the variable that holds a value, by the quoting of its position (SEMANTICS
 * §12).
 */
export function shellReference(quoting: ShellQuoting, variable: string): string {
  switch (quoting) {
    case 'unquoted':
      return `"\${${variable}}"`;
    case 'single':
      return `'"\${${variable}}"'`;
    case 'double':
    case 'arithmetic':
      return `\${${variable}}`;
  }
}
