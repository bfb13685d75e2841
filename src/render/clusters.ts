import type { Graph, Node, Subgraph } from '../graph/graph.js';

/**
 * Subgraphs that are drawn as boxes, and the content of each; the key `undefined` is the drawing around
 * them all.
 */
export interface Clusters {
  readonly childrenOf: ReadonlyMap<number | undefined, readonly Subgraph[]>;
  /** Every node once, in the innermost box around it. */
  readonly nodesOf: ReadonlyMap<number | undefined, readonly Node[]>;
  /** Ids of nodes that are kept on one rank. */
  readonly ranksOf: ReadonlyMap<number | undefined, readonly (readonly string[])[]>;
}

/**
 * Maximum nesting of drawn boxes: more cannot be distinguished, Graphviz crashes at some 200, and the time
 * grows with the third power.
 */
const deepestBox = 32;

/**
 * Finds the boxes. A subgraph is one if it has a label or a name that begins with `cluster`, as in
 * Graphviz; the others scope defaults only, or keep nodes on one rank (`rank=same`). Content beyond the
 * maximum nesting is in the deepest box.
 */
export function clustersOf(graph: Graph): Clusters {
  const drawn = drawnSubgraphs(graph);
  const drawnIndices = new Set(drawn.map(({ index }) => index));
  const around = (index: number | undefined): number | undefined => {
    let current = index;
    while (current !== undefined && !drawnIndices.has(current)) current = graph.subgraphs[current]?.parent;
    return current;
  };
  const clusterOfNode = new Map<string, number>();
  for (const { index, nodeIds } of graph.subgraphs) {
    const cluster = around(index);
    for (const id of nodeIds) {
      const known = clusterOfNode.get(id);
      // Graphviz can't draw boxes that share a node, unless one is inside the other: then the inner one has
      // it.
      if (cluster !== undefined && (known === undefined || isInside(graph, cluster, known))) {
        clusterOfNode.set(id, cluster);
      }
    }
  }
  return {
    childrenOf: groupBy(drawn, ({ parent }) => around(parent)),
    nodesOf: groupBy(graph.nodes.values(), ({ id }) => clusterOfNode.get(id)),
    ranksOf: ranksOf(graph, clusterOfNode),
  };
}

function drawnSubgraphs({ subgraphs }: Graph): readonly Subgraph[] {
  // An outer subgraph comes before those in it.
  const depths = new Map<number, number>();
  return subgraphs.filter((subgraph) => {
    const { index, parent } = subgraph;
    const around = parent === undefined ? 0 : (depths.get(parent) ?? 0);
    const isBox = isDrawn(subgraph) && around < deepestBox;
    depths.set(index, isBox ? around + 1 : around);
    return isBox;
  });
}

function groupBy<Item, Key>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key,
): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

function isDrawn(subgraph: Subgraph): boolean {
  if (subgraph.attributes.has('rank')) return false;
  return subgraphLabel(subgraph) !== '' || (subgraph.name?.startsWith('cluster') ?? false);
}

export function subgraphLabel(subgraph: Subgraph): string {
  return String(subgraph.attributes.get('label')?.value ?? '').trim();
}

function isInside(graph: Graph, index: number, outer: number): boolean {
  let current = graph.subgraphs[index]?.parent;
  while (current !== undefined && current !== outer) current = graph.subgraphs[current]?.parent;
  return current === outer;
}

/**
 * Ranks of nodes: Graphviz can keep nodes on one rank only within the same box; a rank across boxes is left
 * out.
 */
function ranksOf(
  graph: Graph,
  clusterOfNode: ReadonlyMap<string, number>,
): ReadonlyMap<number | undefined, readonly (readonly string[])[]> {
  const ranks = new Map<number | undefined, (readonly string[])[]>();
  const ranked = new Set<string>();
  for (const { attributes, nodeIds } of graph.subgraphs) {
    const ids = nodeIds.filter((id) => graph.nodes.has(id) && !ranked.has(id));
    const [cluster, ...others] = new Set(ids.map((id) => clusterOfNode.get(id)));
    if (attributes.get('rank')?.value !== 'same' || ids.length < 2 || others.length > 0) continue;
    for (const id of ids) ranked.add(id);
    ranks.set(cluster, [...(ranks.get(cluster) ?? []), ids]);
  }
  return ranks;
}
