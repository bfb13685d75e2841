import type { Graph } from '../graph.js';
import { outgoingEdges } from '../queries.js';

/**
 * Parallel node around a branch to which every path from a node leads back (SEMANTICS 48): a branch that
 * went there could not reach its end.
 * @param inside the parallel nodes around the branch
 * @param ends the ends of the branch; nodes found to lead there are added, so that repeated calls cost
 * little
 * @returns undefined if some path reaches an end of the branch, or just ends
 */
export function leadsBackTo(
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
