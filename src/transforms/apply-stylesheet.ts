import type { Attribute, Node } from '../graph/graph.js';
import { selects, styleProperties, stylesheetOf } from '../graph/stylesheet.js';
import type { Declaration, StyleRule } from '../parser/stylesheet/ast.js';
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
    const rules = stylesheetOf(graph).stylesheet?.rules ?? [];
    if (rules.length === 0) return graph;
    const weakestFirst = rules.toSorted((a, b) => specificityOf(a) - specificityOf(b));
    const nodes = new Map<string, Node>();
    const attributeOf = declaredOnce(sheet);
    for (const [id, node] of graph.nodes) nodes.set(id, styleNode(node, weakestFirst, attributeOf));
    return { ...graph, nodes };
  },
};

const applicable: ReadonlySet<string> = new Set(styleProperties);

type AttributeOf = (declaration: Declaration) => Attribute;

/** Nodes that get their value from the same declaration share one attribute. */
function declaredOnce({ valueSpan, origin, insertions }: Attribute): AttributeOf {
  const attributes = new Map<Declaration, Attribute>();
  const isWritten = origin === 'explicit' && insertions === undefined;
  return (declaration) => {
    const before = attributes.get(declaration);
    if (before !== undefined) return before;
    const { property: name, value, valueSpan: declaredAt } = declaration;
    const attribute: Attribute = {
      name,
      value,
      origin: 'stylesheet',
      keySpan: valueSpan,
      valueSpan,
      declaredAt: isWritten ? declaredAt : undefined,
    };
    attributes.set(declaration, attribute);
    return attribute;
  };
}

function styleNode(node: Node, weakestFirst: readonly StyleRule[], attributeOf: AttributeOf): Node {
  const declarations = new Map<string, Declaration>();
  for (const rule of weakestFirst) {
    if (!selects(rule.selector, node)) continue;
    for (const declaration of rule.declarations) declarations.set(declaration.property, declaration);
  }
  const attributes = new Map(node.attributes);
  for (const [name, declaration] of declarations) {
    if (applicable.has(name) && !attributes.has(name)) attributes.set(name, attributeOf(declaration));
  }
  return attributes.size === node.attributes.size ? node : { ...node, attributes };
}

const specificityOfKind = { universal: 0, shape: 1, class: 2, id: 3 } as const;

/** §11.10: universal, shape, class, id. */
function specificityOf(rule: StyleRule): number {
  return specificityOfKind[rule.selector.kind];
}
