import { deepFreeze } from './deep-freeze.js';
import type { AttributeMap, Edge, Graph, Node, Subgraph } from './graph.js';
import { perObject } from './per-object.js';

/**
 * Frozen graph for handlers (§4.1): equal to that of the program, but a mistake in one handler cannot
 * change it for others, or for later runs. Created once.
 */
export const unchangeableGraph = perObject(
  (graph: Graph): Graph =>
    Object.freeze({
      ...graph,
      nameSpan: deepFreeze(graph.nameSpan),
      attributes: unchangeableAttributes(graph.attributes),
      nodes: new UnchangeableMap(graph.nodes, unchangeableNode),
      edges: Object.freeze(graph.edges.map(unchangeableEdge)),
      subgraphs: Object.freeze(graph.subgraphs.map(unchangeableSubgraph)),
    }),
);

/** Frozen node; the same object as in the frozen graph. */
export const unchangeableNode = perObject(
  (node: Node): Node => deepFreeze({ ...node, attributes: unchangeableAttributes(node.attributes) }),
);

function unchangeableEdge(edge: Edge): Edge {
  return deepFreeze({ ...edge, attributes: unchangeableAttributes(edge.attributes) });
}

function unchangeableSubgraph(subgraph: Subgraph): Subgraph {
  return deepFreeze({ ...subgraph, attributes: unchangeableAttributes(subgraph.attributes) });
}

/** Keeps the attributes themselves, not copies, because parsed values are cached by their identity. */
function unchangeableAttributes(attributes: AttributeMap): AttributeMap {
  return new UnchangeableMap(attributes, deepFreeze);
}

/** Immutable map that can be read, copied and cloned like any other. */
class UnchangeableMap<Key, Value> extends Map<Key, Value> {
  constructor(entries: ReadonlyMap<Key, Value>, made: (value: Value) => Value) {
    super();
    for (const [key, value] of entries) super.set(key, made(value));
    Object.freeze(this);
  }

  override set(): never {
    throw unchangeable();
  }

  override delete(): never {
    throw unchangeable();
  }

  override clear(): never {
    throw unchangeable();
  }
}

function unchangeable(): TypeError {
  return new TypeError('the graph of a run cannot be changed; `new Map(…)` makes a copy that can');
}
