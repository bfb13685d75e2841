import type { Graph } from '../graph.js';
import { branchRegions, parallelsAround } from './branch-regions.js';
import type { JoinPoints } from './join-points.js';

/** Parallel node of the main line for each node that runs in its branches only (SEMANTICS 48). */
export function onlyInBranches(graph: Graph, joins: JoinPoints): ReadonlyMap<string, string> {
  const forkByNode = new Map<string, string>();
  if (joins.size === 0) return forkByNode;
  const { mainLine, branches } = branchRegions(graph, joins);
  for (const id of graph.nodes.keys()) {
    const parallel = mainLine.has(id) ? undefined : parallelsAround(branches.get(id)?.[0]).at(-1);
    if (parallel !== undefined) forkByNode.set(id, parallel);
  }
  return forkByNode;
}
