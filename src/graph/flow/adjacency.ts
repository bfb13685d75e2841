import type { Edge, Graph, Node } from '../graph.js';
import { perObject } from '../per-object.js';

/**
 * Graph by numbers: each node has one, its index among the nodes, so that a walk over the graph needs no
 * lookup by name for every step.
 */
export interface Adjacency {
  readonly nodes: readonly Node[];
  readonly numberOf: ReadonlyMap<string, number>;
  /** The edges that leave each node, by its number, in the order of the text. */
  readonly outgoing: readonly (readonly Edge[])[];
  /** Edges whose source is not a node, by its id. */
  readonly outgoingOfOthers: ReadonlyMap<string, readonly Edge[]>;
  /** Number of the source node by the index of an edge, or -1 if it is not a node. */
  readonly sources: Int32Array;
  /** Number of the target node by the index of an edge, likewise. */
  readonly targets: Int32Array;
  /**
   * Target numbers of each node's edges, one node after the other: those of node `n` from `firstEnd[n]` to
   * before `firstEnd[n + 1]`.
   */
  readonly ends: Int32Array;
  readonly firstEnd: Int32Array;
  /** True if both ends of every edge are nodes. */
  readonly isWhole: boolean;
}

/** Adjacency of a graph, computed once. */
export const adjacencyOf = perObject(findAdjacency);

function findAdjacency({ nodes: byId, edges }: Graph): Adjacency {
  const nodes = [...byId.values()];
  const numberOf = new Map<string, number>();
  for (const id of byId.keys()) numberOf.set(id, numberOf.size);
  const outgoing: Edge[][] = new Array(nodes.length).fill(nothing);
  const outgoingOfOthers = new Map<string, Edge[]>();
  const sources = new Int32Array(edges.length);
  const targets = new Int32Array(edges.length);
  let isWhole = true;
  for (let index = 0; index < edges.length; index += 1) {
    const edge = edges[index];
    if (edge === undefined) continue;
    const source = numberOf.get(edge.from) ?? -1;
    const target = numberOf.get(edge.to) ?? -1;
    sources[index] = source;
    targets[index] = target;
    if (source === -1 || target === -1) isWhole = false;
    if (source === -1) appendTo(outgoingOfOthers, edge);
    else if (outgoing[source] === nothing) outgoing[source] = [edge];
    else outgoing[source]?.push(edge);
  }
  const lists = endsOf(nodes.length, sources, targets);
  return { nodes, numberOf, outgoing, outgoingOfOthers, sources, targets, isWhole, ...lists };
}

const nothing: Edge[] = [];

function endsOf(
  count: number,
  sources: Int32Array,
  targets: Int32Array,
): Pick<Adjacency, 'ends' | 'firstEnd'> {
  const firstEnd = new Int32Array(count + 1);
  for (const source of sources) if (source !== -1) firstEnd[source + 1] = (firstEnd[source + 1] ?? 0) + 1;
  for (let number = 1; number <= count; number += 1) {
    firstEnd[number] = (firstEnd[number] ?? 0) + (firstEnd[number - 1] ?? 0);
  }
  const ends = new Int32Array(firstEnd[count] ?? 0);
  const next = firstEnd.slice();
  for (let index = 0; index < sources.length; index += 1) {
    const source = sources[index] ?? -1;
    if (source === -1) continue;
    const position = next[source] ?? 0;
    ends[position] = targets[index] ?? -1;
    next[source] = position + 1;
  }
  return { ends, firstEnd };
}

function appendTo(edgesById: Map<string, Edge[]>, edge: Edge): void {
  const edges = edgesById.get(edge.from);
  if (edges === undefined) edgesById.set(edge.from, [edge]);
  else edges.push(edge);
}
