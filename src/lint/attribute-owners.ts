import type { Attribute, AttributeMap, Edge, Graph, Node } from '../graph/graph.js';
import { perObject } from '../graph/per-object.js';

/** Nodes and edges of a graph that have an attribute, by its name, in the order of the text. */
export interface AttributeOwners {
  nodesWith(name: string): readonly Node[];
  edgesWith(name: string): readonly Edge[];
  readonly namesAtNodes: readonly string[];
  readonly namesAtEdges: readonly string[];
  /** Attributes of the graph, its nodes and its edges; one that several have may be repeated. */
  readonly attributes: readonly Attribute[];
}

/**
 * Owners of attributes, computed once for all rules: most attributes are rare, and a rule about one need
 * not visit every node.
 */
export const attributeOwners = perObject((graph: Graph): AttributeOwners => {
  const attributes = [...graph.attributes.values()];
  const nodes = byAttribute(graph.nodes.values(), attributes);
  const edges = byAttribute(graph.edges, attributes);
  return {
    nodesWith: (name) => nodes.get(name) ?? [],
    edgesWith: (name) => edges.get(name) ?? [],
    namesAtNodes: [...nodes.keys()],
    namesAtEdges: [...edges.keys()],
    attributes,
  };
});

function byAttribute<Owner extends Node | Edge>(
  owners: Iterable<Owner>,
  all: Attribute[],
): ReadonlyMap<string, Owner[]> {
  const ownersByName = new Map<string, Owner[]>();
  let before: AttributeMap | undefined;
  for (const owner of owners) {
    const { attributes } = owner;
    for (const attribute of attributes.values()) {
      // All edges with default attributes only have the same ones.
      if (attributes !== before) all.push(attribute);
      const others = ownersByName.get(attribute.name);
      if (others === undefined) ownersByName.set(attribute.name, [owner]);
      else others.push(owner);
    }
    before = attributes;
  }
  return ownersByName;
}
