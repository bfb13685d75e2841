import type { Edge, Graph, Node } from '../graph/graph.js';

/** The nodes and edges of a graph that have an attribute, by its name, in the order of the text. */
export interface AttributeOwners {
  nodesWith(name: string): readonly Node[];
  edgesWith(name: string): readonly Edge[];
}

const known = new WeakMap<Graph, AttributeOwners>();

/** Found once for all rules: most attributes are rare, and a rule about one need not look at every node for it. */
export function attributeOwners(graph: Graph): AttributeOwners {
  const found = known.get(graph);
  if (found !== undefined) return found;
  const nodes = byAttribute(graph.nodes.values());
  const edges = byAttribute(graph.edges);
  const owners: AttributeOwners = {
    nodesWith: (name) => nodes.get(name) ?? [],
    edgesWith: (name) => edges.get(name) ?? [],
  };
  known.set(graph, owners);
  return owners;
}

function byAttribute<Owner extends Node | Edge>(owners: Iterable<Owner>): ReadonlyMap<string, Owner[]> {
  const found = new Map<string, Owner[]>();
  for (const owner of owners) {
    for (const name of owner.attributes.keys()) {
      const others = found.get(name);
      if (others === undefined) found.set(name, [owner]);
      else others.push(owner);
    }
  }
  return found;
}
