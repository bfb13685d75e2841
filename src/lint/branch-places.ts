import { type BranchRegions, branchRegions, type Region } from '../graph/branch-regions.js';
import type { Graph } from '../graph/graph.js';
import { type JoinPoints, joinPoints } from '../graph/join-points.js';
import type { LintContext } from './rule.js';

export interface BranchPlaces {
  readonly joins: JoinPoints;
  /** The regions in which a node runs, where it runs in branches only; none where it may run elsewhere, or that is unknown. */
  regionsOf(nodeId: string): readonly Region[];
}

const known = new WeakMap<JoinPoints, BranchPlaces>();

/** Which nodes run in branches of parallel nodes only (SEMANTICS 48); found once for all rules. */
export function branchPlaces(
  graph: Graph,
  { handlerTypes }: Pick<LintContext, 'handlerTypes'>,
): BranchPlaces {
  const joins = joinPoints(graph, handlerTypes);
  const found = known.get(joins);
  if (found !== undefined) return found;
  const places = placesOf(joins.size === 0 ? undefined : branchRegions(graph, joins), joins);
  known.set(joins, places);
  return places;
}

function placesOf(regions: BranchRegions | undefined, joins: JoinPoints): BranchPlaces {
  return {
    joins,
    regionsOf(nodeId) {
      if (!regions?.isComplete || regions.mainLine.has(nodeId)) return [];
      return regions.branches.get(nodeId) ?? [];
    },
  };
}
