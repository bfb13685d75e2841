import type { Graph } from './graph.js';
import { outgoingEdges } from './queries.js';

/**
 * The parallel node that every way on from a node comes back to, of those that a branch is inside of (SEMANTICS 48): a branch
 * that went there could not come to its end.
 * @param inside the parallel nodes around the branch
 * @param ends where the branch ends; grows by what is found to lead there, so that asking often costs little
 * @returns undefined where some way comes to an end of the branch, or ends by itself
 */
export function parallelBehind(
  graph: Graph,
  from: string,
  inside: ReadonlySet<string>,
  ends: Set<string>,
): string | undefined {
  let back: string | undefined;
  const cameFrom = new Map<string, string | undefined>([[from, undefined]]);
  for (const id of cameFrom.keys()) {
    const edges = outgoingEdges(graph, id);
    if (ends.has(id) || (edges.length === 0 && !inside.has(id))) {
      for (let step: string | undefined = id; step !== undefined; step = cameFrom.get(step)) ends.add(step);
      return undefined;
    }
    if (inside.has(id)) {
      back ??= id;
      continue;
    }
    for (const { to } of edges) if (!cameFrom.has(to)) cameFrom.set(to, id);
  }
  return back;
}
