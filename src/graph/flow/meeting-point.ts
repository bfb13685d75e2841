import type { Edge, Graph } from '../graph.js';
import { outgoingEdges } from '../queries.js';

/**
 * Join of branches (SEMANTICS 48, 81): the nearest fan-in that all of them reach, else the nearest node
 * that all of them reach, else the exit. The first node of a branch counts only if it is a fan-in.
 * @param fanIns ids of the nodes that have the fan-in handler
 */
export function meetingPoint(
  graph: Graph,
  parallelId: string,
  branches: readonly Edge[],
  fanIns: ReadonlySet<string>,
  exitId: string,
): string {
  const search = new Search(graph, branches);
  const firstNodes = new Set(branches.map(({ to }) => to));
  const common: Meeting[] = [];
  for (let met = search.begin(); ; met = search.step()) {
    const everywhere = met.filter(({ id }) => id !== parallelId);
    // One that is reached later is not nearer; usually this ends early, without the rest of the graph.
    const joins = everywhere.filter(({ id }) => fanIns.has(id));
    if (joins.length > 0) return nearest(joins) ?? exitId;
    common.push(...everywhere.filter(({ id }) => !firstNodes.has(id)));
    if (search.isOver || (fanIns.size === 0 && common.length > 0)) return nearest(common) ?? exitId;
  }
}

/** Node that all branches reach. */
interface Meeting {
  readonly id: string;
  /** Number of steps of the branch that takes the most. */
  readonly farthest: number;
  /** Number of steps of all branches. */
  readonly sum: number;
}

function nearest(meetings: readonly Meeting[]): string | undefined {
  const [best] = [...meetings].sort(
    (one, other) => one.farthest - other.farthest || one.sum - other.sum || (one.id < other.id ? -1 : 1),
  );
  return best?.id;
}

/** Follows all branches, one step at a time: a text may have thousands of them, each through thousands of nodes. */
class Search {
  readonly #graph: Graph;
  readonly #branches: readonly Edge[];
  readonly #numberOf = new Map<string, number>();
  readonly #ids: string[] = [];
  readonly #targets: (readonly number[] | undefined)[] = [];
  /** Branches that have reached a node, a bit each. */
  readonly #reachedBy: Uint32Array[] = [];
  readonly #counts: number[] = [];
  readonly #sums: number[] = [];
  #distance = 0;
  /** Nodes that were reached in the last step, and by which branch. */
  #front: { readonly nodes: readonly number[]; readonly branches: readonly number[] } = {
    nodes: [],
    branches: [],
  };

  constructor(graph: Graph, branches: readonly Edge[]) {
    this.#graph = graph;
    this.#branches = branches;
  }

  get isOver(): boolean {
    return this.#front.nodes.length === 0;
  }

  /** @returns nodes that all branches have reached now, and had not before */
  begin(): readonly Meeting[] {
    const targets = this.#branches.map(({ to }) => this.#number(to));
    return this.#reach(targets, [...targets.keys()]);
  }

  step(): readonly Meeting[] {
    this.#distance += 1;
    const { nodes: from, branches: by } = this.#front;
    const nodes: number[] = [];
    const branches: number[] = [];
    // By index: there may be millions.
    for (let index = 0; index < from.length; index += 1) {
      const branch = by[index] ?? 0;
      for (const target of this.#targetsOf(from[index] ?? 0)) {
        nodes.push(target);
        branches.push(branch);
      }
    }
    return this.#reach(nodes, branches);
  }

  #reach(nodes: readonly number[], branches: readonly number[]): readonly Meeting[] {
    const met: Meeting[] = [];
    const front = { nodes: [] as number[], branches: [] as number[] };
    for (let index = 0; index < nodes.length; index += 1) {
      const [node, branch] = [nodes[index] ?? 0, branches[index] ?? 0];
      if (!this.#mark(node, branch)) continue;
      front.nodes.push(node);
      front.branches.push(branch);
      const count = (this.#counts[node] ?? 0) + 1;
      const sum = (this.#sums[node] ?? 0) + this.#distance;
      this.#counts[node] = count;
      this.#sums[node] = sum;
      if (count === this.#branches.length)
        met.push({ id: this.#ids[node] ?? '', farthest: this.#distance, sum });
    }
    this.#front = front;
    return met;
  }

  /** @returns false if the branch has reached the node before */
  #mark(node: number, branch: number): boolean {
    this.#reachedBy[node] ??= new Uint32Array((this.#branches.length + 31) >>> 5);
    const bits = this.#reachedBy[node];
    const word = bits[branch >>> 5] ?? 0;
    const marked = (word | (1 << (branch & 31))) >>> 0;
    bits[branch >>> 5] = marked;
    return marked !== word;
  }

  #targetsOf(node: number): readonly number[] {
    const known = this.#targets[node];
    if (known !== undefined) return known;
    const targets = outgoingEdges(this.#graph, this.#ids[node] ?? '').map(({ to }) => this.#number(to));
    this.#targets[node] = targets;
    return targets;
  }

  #number(id: string): number {
    const existing = this.#numberOf.get(id);
    if (existing !== undefined) return existing;
    const number = this.#ids.length;
    this.#numberOf.set(id, number);
    this.#ids.push(id);
    return number;
  }
}
