import { nodeAttribute } from '../graph/attributes.js';
import type { Attribute, Node } from '../graph/graph.js';
import type { Declaration, Selector, StyleRule } from '../parser/stylesheet/ast.js';
import { parseStylesheet } from '../parser/stylesheet/parse.js';
import type { Transform } from './transform.js';

/**
 * Gives nodes the model properties that the stylesheet has for them and they do not have themselves (§8.3, §8.5,
 * SEMANTICS 46–47c). What a default block wrote counts as the node's own. A stylesheet with an error is not applied:
 * lint reports it. The graph's own `llm_*` attributes stay where they are; they are read after the node's.
 */
export const applyStylesheet: Transform = {
  name: 'apply_stylesheet',
  apply(graph) {
    const sheet = graph.attributes.get('model_stylesheet');
    if (sheet === undefined) return graph;
    const rules = parseStylesheet(String(sheet.value)).stylesheet?.rules ?? [];
    if (rules.length === 0) return graph;
    const weakestFirst = rules.toSorted((a, b) => specificityOf(a) - specificityOf(b));
    const nodes = new Map<string, Node>();
    for (const [id, node] of graph.nodes) nodes.set(id, styleNode(node, weakestFirst, sheet));
    return { ...graph, nodes };
  },
};

/** §8.4; other properties are kept by the parser and reported by lint, but mean nothing (SEMANTICS 47b). */
const applicable: ReadonlySet<string> = new Set(['llm_model', 'llm_provider', 'reasoning_effort']);

function styleNode(node: Node, weakestFirst: readonly StyleRule[], sheet: Attribute): Node {
  const declarations = new Map<string, Declaration>();
  for (const rule of weakestFirst) {
    if (!matches(rule.selector, node)) continue;
    for (const declaration of rule.declarations) declarations.set(declaration.property, declaration);
  }
  const attributes = new Map(node.attributes);
  for (const [name, { value }] of declarations) {
    if (!applicable.has(name) || attributes.has(name)) continue;
    const { valueSpan } = sheet;
    attributes.set(name, { name, value, origin: 'stylesheet', keySpan: valueSpan, valueSpan });
  }
  return attributes.size === node.attributes.size ? node : { ...node, attributes };
}

const specificityOfKind = { universal: 0, shape: 1, class: 2, id: 3 } as const;

/** §11.10: universal, shape, class, id. */
function specificityOf(rule: StyleRule): number {
  return specificityOfKind[rule.selector.kind];
}

/** A shape selector sees the shape that holds, the default one included (SEMANTICS 46). */
function matches({ kind, name }: Selector, node: Node): boolean {
  switch (kind) {
    case 'universal':
      return true;
    case 'shape':
      return nodeAttribute(node, 'shape') === name;
    case 'class':
      return node.classes.includes(name);
    case 'id':
      return node.id === name;
  }
}
