import { edgeAttribute, graphAttribute, nodeAttribute } from '../graph/attributes.js';
import { joinPoints } from '../graph/flow/join-points.js';
import { onlyInBranches } from '../graph/flow/only-in-branches.js';
import type { Graph } from '../graph/graph.js';
import type { HandlerType } from '../graph/handler-types.js';
import { knownHandlerTypes } from '../graph/known-handler-types.js';
import { handlerTypeOf } from '../graph/queries.js';
import type { GraphStructure } from './graph-schema.js';

/**
 * Pipeline in the form that a reader of events needs for its picture (§9.6).
 * @param handlerTypes those that the program registers besides the ones of the language (§4.12)
 */
export function graphStructure(
  graph: Graph,
  handlerTypes: Iterable<string | HandlerType> = [],
): GraphStructure {
  const types = knownHandlerTypes(handlerTypes);
  const onlyIn = onlyInBranches(graph, joinPoints(graph, types));
  return {
    name: graph.name,
    goal: graphAttribute(graph, 'goal'),
    nodes: [...graph.nodes.values()].map((node) => ({
      id: node.id,
      label: nodeAttribute(node, 'label') ?? '',
      handler: handlerTypeOf(graph, node, types).type,
      only_in: onlyIn.get(node.id) ?? null,
    })),
    edges: graph.edges.map((edge) => ({
      from: edge.from,
      to: edge.to,
      label: edgeAttribute(edge, 'label'),
      condition: edgeAttribute(edge, 'condition'),
    })),
  };
}
