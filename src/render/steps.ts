import type { Graph } from '../graph/graph.js';
import { outgoingEdges, startNodes } from '../graph/queries.js';

/**
 * Number of edges on the shortest path from the start to each node; nodes that cannot be reached have none.
 */
export function stepsFromStart(graph: Graph): ReadonlyMap<string, number> {
  const steps = new Map(startNodes(graph).map(({ id }) => [id, 0]));
  // A map is walked in the order of insertion, additions included, and so it is its own queue.
  for (const [id, count] of steps) {
    for (const { to } of outgoingEdges(graph, id)) {
      if (!steps.has(to)) steps.set(to, count + 1);
    }
  }
  return steps;
}
