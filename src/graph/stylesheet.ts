import type { Selector, StylesheetParseResult } from '../parser/stylesheet/ast.js';
import { parseStylesheet } from '../parser/stylesheet/parse.js';
import { nodeAttribute } from './attributes.js';
import type { Attribute, Graph, Node } from './graph.js';
import { perObject } from './per-object.js';

const parsedStylesheet = perObject(
  ({ value }: Attribute): StylesheetParseResult => parseStylesheet(String(value)),
);

/** Parsed `model_stylesheet` of a graph (§8), parsed once; without rules if there is none. */
export function stylesheetOf(graph: Graph): StylesheetParseResult {
  const attribute = graph.attributes.get('model_stylesheet');
  return attribute === undefined
    ? { stylesheet: { rules: [] }, diagnostics: [] }
    : parsedStylesheet(attribute);
}

/** Properties that a rule can give a node (§8.4); others are kept without effect (SEMANTICS 47b). */
export const styleProperties = ['llm_model', 'llm_provider', 'llm_fallback', 'reasoning_effort'] as const;

/**
 * True if a selector selects a node (§8.3); a shape selector uses the effective shape, including the
 * default (SEMANTICS 46).
 */
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
