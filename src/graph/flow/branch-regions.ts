import { edgeAttribute, graphAttribute, nodeAttribute } from '../attributes.js';
import type { Edge, Graph, Node } from '../graph.js';
import { exitNodes, outgoingEdges, startNodes } from '../queries.js';
import type { JoinPoints } from './join-points.js';
import { jumpTargets, usableJumpTargets } from './jump-targets.js';

/** Branches around control: those of a parallel node, and of the nodes around it. */
export interface Region {
  readonly parallelId: string;
  /** Undefined on the main line. */
  readonly around: Region | undefined;
}

/**
 * Nodes that a run may enter on its main line and in its branches, according to the graph (SEMANTICS 48).
 */
export interface BranchRegions {
  readonly mainLine: ReadonlySet<string>;
  /** Regions whose branches may enter a node; missing for a node that only the main line enters. */
  readonly branches: ReadonlyMap<string, readonly Region[]>;
  /**
   * False if the branches are so tangled that not every path was followed: then a missing node proves
   * nothing.
   */
  readonly isComplete: boolean;
}

/** Average number of visits to a node after which the search is given up. */
const mostPlaces = 50;

/** Maximum of nested parallel nodes, so that checking them costs little. */
export const deepestNesting = 100;

/** Follows control through a graph as the machine would, by all edges and jumps: the main line first, then the branches. */
export function branchRegions(graph: Graph, joins: JoinPoints): BranchRegions {
  const search = new Search(graph, joins);
  const mainLine = search.follow(undefined, search.entries());
  const branches = new Map<string, Region[]>();
  const limit = mostPlaces * (graph.nodes.size + graph.edges.length) + 1000;
  let visitedNodes = 0;
  for (let pending = search.takeRegion(); pending !== undefined; pending = search.takeRegion()) {
    if (parallelsAround(pending.region).length > deepestNesting)
      return { mainLine, branches, isComplete: false };
    for (const id of search.follow(pending.region, pending.entries)) {
      const regions = branches.get(id);
      if (regions === undefined) branches.set(id, [pending.region]);
      else regions.push(pending.region);
      visitedNodes += 1;
    }
    if (visitedNodes > limit) return { mainLine, branches, isComplete: false };
  }
  return { mainLine, branches, isComplete: true };
}

/** Parallel nodes around a region, the innermost first. */
export function parallelsAround(region: Region | undefined): readonly string[] {
  const ids: string[] = [];
  for (let around = region; around !== undefined; around = around.around) ids.push(around.parallelId);
  return ids;
}

class Search {
  readonly #graph: Graph;
  readonly #joins: JoinPoints;
  readonly #exitId: string;
  readonly #found: { readonly region: Region; readonly entries: readonly string[] }[] = [];
  #taken = 0;

  constructor(graph: Graph, joins: JoinPoints) {
    this.#graph = graph;
    this.#joins = joins;
    this.#exitId = exitNodes(graph)[0]?.id ?? '';
  }

  /**
   * Nodes where the main line may begin, and to which the exit may send it back: the targets of goal gates
   * (§3.4).
   */
  entries(): readonly string[] {
    const gates = [...this.#graph.nodes.values()].filter((node) => nodeAttribute(node, 'goal_gate'));
    const ofGraph = jumpTargets(
      graphAttribute(this.#graph, 'retry_target'),
      graphAttribute(this.#graph, 'fallback_retry_target'),
    );
    const targets = gates.length === 0 ? [] : [...ofGraph, ...gates.flatMap((gate) => this.#jumpsOf(gate))];
    return [...startNodes(this.#graph), ...targets.map(({ nodeId }) => ({ id: nodeId }))].map(({ id }) => id);
  }

  /** Takes the next branches that were not yet followed. */
  takeRegion() {
    const pending = this.#found[this.#taken];
    this.#taken += 1;
    return pending;
  }

  /** Nodes that control may enter without leaving a region. */
  follow(region: Region | undefined, entries: Iterable<string>): ReadonlySet<string> {
    const around = parallelsAround(region);
    // In a branch, control goes at most to one of these; and it never enters a parallel node that it is
    // inside of.
    const ends = new Set([...around, ...around.map((id) => this.#joins.get(id)), this.#exitId]);
    const mayEnter = (id: string): boolean =>
      this.#graph.nodes.has(id) && (region === undefined || !ends.has(id));
    const entered = new Set([...entries].filter(mayEnter));
    for (const id of entered) {
      for (const next of this.#successors(id, region)) if (mayEnter(next)) entered.add(next);
    }
    return entered;
  }

  #successors(id: string, region: Region | undefined): readonly string[] {
    const node = this.#graph.nodes.get(id);
    if (node === undefined) return [];
    const jumps = this.#jumpsOf(node).map(({ nodeId }) => nodeId);
    const edges = outgoingEdges(this.#graph, id);
    const join = this.#joins.get(id);
    if (join === undefined) return [...edges.filter(mayBeTaken(region)).map(({ to }) => to), ...jumps];
    this.#found.push({ region: { parallelId: id, around: region }, entries: edges.map(({ to }) => to) });
    return [join, ...jumps];
  }

  #jumpsOf(node: Node) {
    return usableJumpTargets(this.#graph, node, this.#exitId);
  }
}

/** A branch cannot restart the pipeline (SEMANTICS 48a). */
function mayBeTaken(region: Region | undefined): (edge: Edge) => boolean {
  return (edge) => region === undefined || !edgeAttribute(edge, 'loop_restart');
}
