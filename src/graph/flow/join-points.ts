import { nodeAttribute } from '../attributes.js';
import type { Graph, Node } from '../graph.js';
import type { KnownHandlerTypes } from '../known-handler-types.js';
import { perGraph } from '../per-graph.js';
import { exitNodes, nodesHandledBy, outgoingEdges } from '../queries.js';
import { meetingPoint } from './meeting-point.js';

/** Join of each parallel node (SEMANTICS 48, 106), by the id of the parallel node. */
export type JoinPoints = ReadonlyMap<string, string>;

/** Joins of all parallel nodes of a graph, computed once; none if the graph has not exactly one exit. */
export const joinPoints = perGraph(findJoins);

function findJoins(graph: Graph, handlerTypes: KnownHandlerTypes): JoinPoints {
  const joins = new Map<string, string>();
  const [exit, ...others] = exitNodes(graph);
  if (exit === undefined || others.length > 0) return joins;
  const forks = nodesHandledBy(graph, handlerTypes, (handler) => handler.forks);
  if (forks.length === 0) return joins;
  const fanIns = new Set(nodesHandledBy(graph, handlerTypes, (handler) => handler.joins).map(({ id }) => id));
  for (const node of forks) {
    const { id } = node;
    joins.set(
      id,
      namedJoin(graph, node) ?? meetingPoint(graph, id, outgoingEdges(graph, id), fanIns, exit.id),
    );
  }
  return joins;
}

/** Join that a parallel node names; one that is not a node, whose error was switched off, does not count. */
function namedJoin(graph: Graph, node: Node): string | undefined {
  const name = nodeAttribute(node, 'join');
  return graph.nodes.has(name) && name !== node.id ? name : undefined;
}
