import type { Graph } from './graph.js';
import type { KnownHandlerTypes } from './known-handler-types.js';
import { joinOf } from './parallel.js';
import { perGraph } from './per-graph.js';
import { exitNodes, nodesHandledBy, outgoingEdges } from './queries.js';

/** Join of each parallel node (SEMANTICS 48), by the id of the parallel node. */
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
  for (const { id } of forks) joins.set(id, joinOf(graph, id, outgoingEdges(graph, id), fanIns, exit.id));
  return joins;
}
