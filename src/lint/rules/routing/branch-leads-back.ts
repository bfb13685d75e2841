import { excerpt } from '../../../diagnostic/excerpt.js';
import { nodeAttribute } from '../../../graph/attributes.js';
import { parallelsAround, type Region } from '../../../graph/flow/branch-regions.js';
import { type JumpTarget, usableJumpTargets } from '../../../graph/flow/jump-targets.js';
import { leadsBackTo } from '../../../graph/flow/leads-back-to.js';
import type { Graph, Node } from '../../../graph/graph.js';
import { exitNodes } from '../../../graph/queries.js';
import { type NodeRegions, nodeRegions } from '../../node-regions.js';
import type { Finding, LintRule } from '../../rule.js';

/** SEMANTICS 48a: a branch ends at the join, so it cannot go back to before the fork. */
export const branchLeadsBack: LintRule = {
  name: 'branch_leads_back',
  severity: 'error',
  summary: 'No branch leads back to its own parallel node.',
  rationale:
    'A branch runs until it reaches the join, and cannot restart the other branches, which are still running: an edge back to its own parallel node makes the branch fail, and a retry target that only leads back there is skipped. To run one branch again, go back to a stage inside it. To run all branches again, go back from the join, or set the retry target on the parallel node itself. A goal gate in a branch may name the parallel node as its retry target, which is also used at the exit.',
  provesAbsence: true,
  *apply(graph, context) {
    const regions = nodeRegions(graph, context);
    if (regions.joins.size === 0) return;
    for (const edge of graph.edges) {
      if (!isAlwaysInside(regions.regionsOf(edge.from), edge.to)) continue;
      yield {
        message: `the edge leads back to ${excerpt(edge.to)}, but ${excerpt(edge.from)} is in one of its branches: a branch that returns to its own parallel node fails`,
        span: edge.toSpan,
        edge: [edge.from, edge.to],
        fix: fixFor(edge.to, regions),
      };
    }
    const exitId = exitNodes(graph)[0]?.id ?? '';
    const paths = new PathsBack(graph, regions, exitId);
    for (const node of graph.nodes.values()) {
      // Its targets serve at the exit too, on the main line.
      if (nodeAttribute(node, 'goal_gate')) continue;
      for (const target of usableJumpTargets(graph, node, exitId)) {
        const back = paths.leadsBackTo(node, target);
        if (back !== undefined) yield jumpFinding(node, target, back, regions);
      }
    }
  },
};

function isAlwaysInside(regions: readonly Region[], parallelId: string): boolean {
  return regions.length > 0 && regions.every((region) => parallelsAround(region).includes(parallelId));
}

/** Finds the parallel node to which a jump only leads back, in whatever branch it is made. */
class PathsBack {
  readonly #graph: Graph;
  readonly #places: NodeRegions;
  readonly #exitId: string;
  readonly #ends = new Map<Region, Set<string>>();

  constructor(graph: Graph, regions: NodeRegions, exitId: string) {
    this.#graph = graph;
    this.#places = regions;
    this.#exitId = exitId;
  }

  leadsBackTo(node: Node, { nodeId: target }: JumpTarget): string | undefined {
    let back: string | undefined;
    for (const region of this.#places.regionsOf(node.id)) {
      const inside = new Set(parallelsAround(region));
      back = leadsBackTo(this.#graph, target, inside, this.#endsOf(region, inside));
      if (back === undefined) return undefined;
    }
    return back;
  }

  #endsOf(region: Region, inside: ReadonlySet<string>): Set<string> {
    const joins = [...inside].flatMap((id) => this.#places.joins.get(id) ?? []);
    const ends = this.#ends.get(region) ?? new Set([this.#exitId, ...joins]);
    this.#ends.set(region, ends);
    return ends;
  }
}

function jumpFinding(
  node: Node,
  { attribute: name, nodeId }: JumpTarget,
  back: string,
  regions: NodeRegions,
): Finding {
  const attribute = node.attributes.get(name);
  const path = nodeId === back ? 'is' : `only leads back to ${excerpt(back)},`;
  return {
    message: `\`${name}\` of ${excerpt(node.id)} is ${excerpt(nodeId)}, which ${path} the parallel node of its own branch; it is skipped, and the branch fails`,
    span: attribute?.valueSpan ?? node.span,
    nodeId: node.id,
    // A default is meant for other nodes too.
    severity: attribute?.origin === 'explicit' ? undefined : 'warning',
    fix: fixFor(back, regions),
  };
}

function fixFor(parallelId: string, { joins }: NodeRegions) {
  const join = joins.get(parallelId) ?? parallelId;
  return {
    title: `go back to a stage of the branch; or to \`${parallelId}\` from \`${join}\`, where the branches meet`,
    edits: [],
  };
}
