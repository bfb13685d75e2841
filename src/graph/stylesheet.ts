import type { Selector, StylesheetParseResult } from '../parser/stylesheet/ast.js';
import { parseStylesheet } from '../parser/stylesheet/parse.js';
import { nodeAttribute } from './attributes.js';
import type { Attribute, Graph, Node } from './graph.js';
import { perObject } from './per-object.js';

const parsedStylesheet = perObject(
  ({ value }: Attribute): StylesheetParseResult => parseStylesheet(String(value)),
);

/** The `model_stylesheet` of a graph (§8), parsed once; without rules where there is none. */
export function stylesheetOf(graph: Graph): StylesheetParseResult {
  const attribute = graph.attributes.get('model_stylesheet');
  return attribute === undefined
    ? { stylesheet: { rules: [] }, diagnostics: [] }
    : parsedStylesheet(attribute);
}

/** The properties that a rule can give a node (§8.4); others are kept and mean nothing (SEMANTICS 47b). */
export const styleProperties = ['llm_model', 'llm_provider', 'reasoning_effort'] as const;

/** Whether a selector selects a node (§8.3); a shape selector sees the shape that holds, the default one too (SEMANTICS 46). */
export function selects({ kind, name }: Selector, node: Node): boolean {
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
