import type { Attribute, Graph } from '../../src/graph/graph.js';
import { knownHandlerTypes } from '../../src/graph/known-handler-types.js';
import { conditionOf, handlerTypeOf, nodeConditionOf, nodeConditions } from '../../src/graph/queries.js';

/** Other names of attributes, which fixes replace by the current ones (SEMANTICS 68a). */
const currentNames: ReadonlyMap<string, string> = new Map([
  ['context_fidelity_default', 'default_fidelity'],
  ['context_thread_default', 'default_thread_id'],
]);

const comparedOtherwise = new Set<string>(['condition', 'model_stylesheet', ...nodeConditions]);

/**
 * What a graph means, without where and how it is written: a fix must not change it. The stylesheet counts by what it gives
 * to nodes, a condition by what it says, and whether a node was declared by nothing but the node.
 */
export function meaningOf(graph: Graph): unknown {
  return {
    attributes: valuesOf(graph.attributes.values()),
    nodes: [...graph.nodes.values()]
      .map((node) => ({
        id: node.id,
        classes: node.classes,
        conditions: nodeConditions.map((name) => withoutSpans(nodeConditionOf(node, name).condition)),
        attributes: valuesOf(node.attributes.values()),
      }))
      .sort((one, other) => (one.id < other.id ? -1 : 1)),
    edges: edgesOf(graph),
  };
}

/** An edge that is written twice is one, unless each is a branch. */
function edgesOf(graph: Graph): readonly unknown[] {
  const seen = new Set<string>();
  return graph.edges.flatMap((edge) => {
    const meaning = {
      ends: [edge.from, edge.to],
      condition: withoutSpans(conditionOf(edge).condition),
      attributes: valuesOf(edge.attributes.values()),
    };
    const source = graph.nodes.get(edge.from);
    const text = JSON.stringify(meaning);
    if (source !== undefined && !handlerTypeOf(graph, source, knownHandlerTypes()).forks && seen.has(text))
      return [];
    seen.add(text);
    return [meaning];
  });
}

function valuesOf(attributes: Iterable<Attribute>): unknown {
  return [...attributes]
    .filter(({ name }) => !comparedOtherwise.has(name))
    .map(({ name, value }) => [currentNames.get(name) ?? name, value] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Where something stands, and whether in quotes, is how it is written. */
function withoutSpans(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (key, inner) => (key === 'span' || key === 'quoted' ? undefined : inner)),
  );
}
