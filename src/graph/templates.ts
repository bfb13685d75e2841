import type { ShellPart, ShellQuoting, ShellTemplate, Template } from '../parser/template/ast.js';
import { parseTemplate } from '../parser/template/parse.js';
import { parseShellTemplate } from '../parser/template/parse-shell.js';
import { describeRefusedPlace } from '../parser/template/refused-place.js';
import { graphAttribute, type graphAttributes, nodeAttribute, type nodeAttributes } from './attributes.js';
import type { Attribute, Graph, Node } from './graph.js';

export type { ShellPart, Template };
export { describeRefusedPlace };

/** The attributes of a table that take `${path}`, in a text or in a command. */
type Templated<Table, Kind extends 'text' | 'shell'> = {
  [Name in keyof Table]: Table[Name] extends { readonly type: 'string'; readonly template: Kind }
    ? Name
    : never;
}[keyof Table];

const templates = new WeakMap<Attribute, Template>();
const shellTemplates = new WeakMap<Attribute, ShellTemplate>();

/** A templated attribute of a node (SEMANTICS §12), parsed once. */
export function nodeTemplate(node: Node, name: Templated<typeof nodeAttributes, 'text'>): Template {
  return parsedOnce(templates, node.attributes.get(name), nodeAttribute(node, name), parseTemplate);
}

/** A templated attribute of the graph, parsed once. */
export function graphTemplate(graph: Graph, name: Templated<typeof graphAttributes, 'text'>): Template {
  return parsedOnce(templates, graph.attributes.get(name), graphAttribute(graph, name), parseTemplate);
}

/** A shell command of a node, parsed once. */
export function nodeShellTemplate(
  node: Node,
  name: Templated<typeof nodeAttributes, 'shell'>,
): ShellTemplate {
  return parsedOnce(shellTemplates, node.attributes.get(name), nodeAttribute(node, name), parseShellTemplate);
}

/** The text of any attribute, parsed once. */
export function parsedTemplate(attribute: Attribute, text: string): Template {
  return parsedOnce(templates, attribute, text, parseTemplate);
}

/** The command that any attribute holds, parsed once. */
export function parsedShellTemplate(attribute: Attribute, text: string): ShellTemplate {
  return parsedOnce(shellTemplates, attribute, text, parseShellTemplate);
}

/** How a command refers to the variable that holds a value, by how the place is quoted (SEMANTICS §12). */
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

/** What nobody wrote is a default of the table: short, and no template. */
function parsedOnce<Parsed>(
  cache: WeakMap<Attribute, Parsed>,
  attribute: Attribute | undefined,
  text: string | undefined,
  parse: (text: string) => Parsed,
): Parsed {
  if (attribute === undefined) return parse(text ?? '');
  const known = cache.get(attribute);
  if (known !== undefined) return known;
  const parsed = parse(text ?? '');
  cache.set(attribute, parsed);
  return parsed;
}
