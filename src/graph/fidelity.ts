import { fidelityModes } from './attribute-tables/attribute-definition.js';
import { edgeAttribute, graphAttribute, nodeAttribute } from './attributes.js';
import type { Attribute, Edge, Graph, Node } from './graph.js';

/** Modes of fidelity: how much of the earlier stages an LLM stage receives (§5.4). */
export type FidelityMode = (typeof fidelityModes)[number];

/** Fidelity with the attribute that gives it. */
export interface WrittenFidelity {
  readonly mode: FidelityMode;
  readonly attribute: Attribute | undefined;
}

/**
 * Fidelity of a node that is entered by an edge (§5.4): that of the edge, the node, the graph. An unknown mode counts as unset
 * (SEMANTICS 43a); the graph's attribute also has a deprecated name (SEMANTICS 68a).
 * @returns undefined if none is set
 */
export function writtenFidelity(graph: Graph, node: Node, edge?: Edge): WrittenFidelity | undefined {
  return (
    (edge && written(edgeAttribute(edge, 'fidelity'), edge.attributes.get('fidelity'))) ??
    written(nodeAttribute(node, 'fidelity'), node.attributes.get('fidelity')) ??
    ofGraph(graph, 'default_fidelity') ??
    ofGraph(graph, 'context_fidelity_default')
  );
}

function ofGraph(
  graph: Graph,
  name: 'default_fidelity' | 'context_fidelity_default',
): WrittenFidelity | undefined {
  return written(graphAttribute(graph, name), graph.attributes.get(name));
}

function written(value: string, attribute: Attribute | undefined): WrittenFidelity | undefined {
  const mode = modes.get(value);
  return mode && { mode, attribute };
}

const modes: ReadonlyMap<string, FidelityMode> = new Map(fidelityModes.map((mode) => [mode, mode]));

/** Attributes with the graph's default thread (SEMANTICS 68), the preferred one first. */
export const graphThreadNames = [
  'default_thread_id',
  'default_thread',
  'thread_id',
  'context_thread_default',
] as const;

/**
 * Thread of a node by its name (§5.4, SEMANTICS 68): that of the node, the edge, the graph, or the class of the innermost
 * subgraph that gives one. Empty without a name: then it is that of the node before.
 */
export function namedThread(graph: Graph, node: Node, edge?: Edge): string {
  return (
    nodeAttribute(node, 'thread_id') ||
    (edge && edgeAttribute(edge, 'thread_id')) ||
    graphThreadNames.map((name) => graphAttribute(graph, name)).find((name) => name !== '') ||
    classAround(graph, node) ||
    ''
  );
}

/** Class that the innermost labelled subgraph derives (§2.10). */
function classAround(graph: Graph, node: Node): string | undefined {
  let subgraph = node.subgraph === undefined ? undefined : graph.subgraphs[node.subgraph];
  while (subgraph !== undefined && subgraph.derivedClass === undefined) {
    subgraph = subgraph.parent === undefined ? undefined : graph.subgraphs[subgraph.parent];
  }
  return subgraph?.derivedClass;
}
