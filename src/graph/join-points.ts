import type { Graph } from './graph.js';
import type { KnownHandlerTypes } from './known-handler-types.js';
import { joinOf } from './parallel.js';
import { exitNodes, handlerTypeOf, outgoingEdges } from './queries.js';

/** Where the branches of each parallel node meet (SEMANTICS 48), by the id of the parallel node. */
export type JoinPoints = ReadonlyMap<string, string>;

const known = new WeakMap<Graph, { readonly handlerTypes: KnownHandlerTypes; readonly joins: JoinPoints }>();

/** The joins of all parallel nodes of a graph, found once; none where the graph has not exactly one exit. */
export function joinPoints(graph: Graph, handlerTypes: KnownHandlerTypes): JoinPoints {
  const found = known.get(graph);
  if (found?.handlerTypes === handlerTypes) return found.joins;
  const joins = findJoins(graph, handlerTypes);
  known.set(graph, { handlerTypes, joins });
  return joins;
}

function findJoins(graph: Graph, handlerTypes: KnownHandlerTypes): JoinPoints {
  const joins = new Map<string, string>();
  const [exit, ...others] = exitNodes(graph);
  if (exit === undefined || others.length > 0) return joins;
  const forks: string[] = [];
  const fanIns = new Set<string>();
  for (const node of graph.nodes.values()) {
    const handler = handlerTypeOf(graph, node, handlerTypes);
    if (handler.forks) forks.push(node.id);
    if (handler.joins) fanIns.add(node.id);
  }
  for (const id of forks) joins.set(id, joinOf(graph, id, outgoingEdges(graph, id), fanIns, exit.id));
  return joins;
}
