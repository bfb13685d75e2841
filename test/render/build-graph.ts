import type { Attribute, AttributeValue, Graph, Node, Subgraph } from '../../src/graph/graph.js';

type Attributes = Readonly<Record<string, AttributeValue>>;

export interface GraphData {
  readonly name?: string;
  readonly attributes?: Attributes;
  readonly nodes?: readonly (readonly [id: string, attributes?: Attributes])[];
  readonly edges?: readonly (readonly [from: string, to: string, attributes?: Attributes])[];
  readonly subgraphs?: readonly {
    readonly name?: string;
    readonly parent?: number;
    readonly attributes?: Attributes;
    readonly nodeIds: readonly string[];
  }[];
}

const nowhere = { start: 0, end: 0 };

/** A graph as lowering would make it, also with ids and texts that no file can hold. */
export function buildGraph({
  name = 'G',
  attributes,
  nodes = [],
  edges = [],
  subgraphs = [],
}: GraphData): Graph {
  const built = nodes.map(([id, nodeAttributes]): Node => {
    const subgraph = subgraphs.findLastIndex(({ nodeIds }) => nodeIds.includes(id));
    return {
      id,
      attributes: attributeMap(nodeAttributes),
      classes: [],
      ...(subgraph >= 0 && { subgraph }),
      declared: true,
      span: nowhere,
    };
  });
  return {
    name,
    nameSpan: nowhere,
    attributes: attributeMap(attributes),
    nodes: new Map(built.map((node) => [node.id, node])),
    edges: edges.map(([from, to, edgeAttributes], index) => ({
      index,
      from,
      to,
      attributes: attributeMap(edgeAttributes),
      fromSpan: nowhere,
      toSpan: nowhere,
      span: nowhere,
    })),
    subgraphs: subgraphs.map(
      (subgraph, index): Subgraph => ({
        ...subgraph,
        index,
        attributes: attributeMap(subgraph.attributes),
        span: nowhere,
      }),
    ),
  };
}

function attributeMap(attributes: Attributes = {}): ReadonlyMap<string, Attribute> {
  return new Map(
    Object.entries(attributes).map(([name, value]) => [
      name,
      { name, value, origin: 'explicit', keySpan: nowhere, valueSpan: nowhere },
    ]),
  );
}
