import type { Edge, Graph, Node } from './graph.js';
import { perObject } from './per-object.js';

/**
 * A graph in numbers: each node has one, its place among the nodes. Whoever walks over a graph needs no look-up by name for
 * every step.
 */
export interface Adjacency {
  readonly nodes: readonly Node[];
  readonly numberOf: ReadonlyMap<string, number>;
  /** The edges that leave each node, by its number, in the order of the text. */
  readonly outgoing: readonly (readonly Edge[])[];
  /** The edges that begin where there is no node. */
  readonly outgoingOfOthers: ReadonlyMap<string, readonly Edge[]>;
  /** By the place of an edge in the graph: the number of the node at its beginning, or -1 where there is none. */
  readonly sources: Int32Array;
  /** The same for its end. */
  readonly targets: Int32Array;
  /** Where the edges of each node lead, one node after the other: those of node `n` from `firstEnd[n]` to before `firstEnd[n + 1]`. */
  readonly ends: Int32Array;
  readonly firstEnd: Int32Array;
  /** Whether both ends of every edge are nodes. */
  readonly isWhole: boolean;
}

/** Which node leads to which, found once for all who ask. */
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
    const at = next[source] ?? 0;
    ends[at] = targets[index] ?? -1;
    next[source] = at + 1;
  }
  return { ends, firstEnd };
}

function appendTo(edgesById: Map<string, Edge[]>, edge: Edge): void {
  const edges = edgesById.get(edge.from);
  if (edges === undefined) edgesById.set(edge.from, [edge]);
  else edges.push(edge);
}
