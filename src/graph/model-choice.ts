import { graphAttribute, nodeAttribute } from './attributes.js';
import type { Graph, Node } from './graph.js';

/**
 * Model that a stage asks for; undefined if neither the stage, nor the stylesheet, nor the graph names one.
 */
export interface ModelChoice {
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly reasoningEffort: string;
}

/** Default without any attribute (§2.6). */
const defaultEffort = 'high';

/**
 * Model of a stage: that of the node, after the stylesheet, else the graph's (§2.6, §8.5, SEMANTICS 47,
 * 47a).
 */
export function modelChoice(graph: Graph, node: Node): ModelChoice {
  return {
    provider: nodeAttribute(node, 'llm_provider') || graphAttribute(graph, 'llm_provider') || undefined,
    model: nodeAttribute(node, 'llm_model') || graphAttribute(graph, 'llm_model') || undefined,
    reasoningEffort:
      nodeAttribute(node, 'reasoning_effort') || graphAttribute(graph, 'reasoning_effort') || defaultEffort,
  };
}
