import { type BranchRegions, branchRegions, type Region } from '../graph/flow/branch-regions.js';
import { type JoinPoints, joinPoints } from '../graph/flow/join-points.js';
import type { Graph } from '../graph/graph.js';
import { perGraph } from '../graph/per-graph.js';
import type { LintContext } from './rule.js';

export interface NodeRegions {
  readonly joins: JoinPoints;
  /**
   * Regions in which a node runs, if it runs in branches only; none if it may run elsewhere, or that is
   * unknown.
   */
  regionsOf(nodeId: string): readonly Region[];
}

const regionsByTypes = perGraph((graph, handlerTypes): NodeRegions => {
  const joins = joinPoints(graph, handlerTypes);
  return regionsOfNodes(joins.size === 0 ? undefined : branchRegions(graph, joins), joins);
});

/** Nodes that run in branches of parallel nodes only (SEMANTICS 48); computed once for all rules. */
export function nodeRegions(graph: Graph, { handlerTypes }: Pick<LintContext, 'handlerTypes'>): NodeRegions {
  return regionsByTypes(graph, handlerTypes);
}

function regionsOfNodes(regions: BranchRegions | undefined, joins: JoinPoints): NodeRegions {
  return {
    joins,
    regionsOf(nodeId) {
      if (!regions?.isComplete || regions.mainLine.has(nodeId)) return [];
      return regions.branches.get(nodeId) ?? [];
    },
  };
}
