import type { Attribute, AttributeValue, Graph, Node } from '../../src/graph/graph.js';

type Attributes = Readonly<Record<string, AttributeValue>>;

interface GraphData {
  readonly attributes?: Attributes;
  readonly nodes?: Readonly<Record<string, Attributes>>;
  readonly classes?: Readonly<Record<string, readonly string[]>>;
}

/** Where the value of every attribute was written. */
export const valueSpan = { start: 4, end: 9 };

const nowhere = { start: 0, end: 0 };

/** A graph without edges in which nothing can be changed: a transform that tries to throws. */
export function frozenGraph({ attributes = {}, nodes = {}, classes = {} }: GraphData): Graph {
  const built = Object.entries(nodes).map(([id, nodeAttributes]): [string, Node] => [
    id,
    {
      id,
      attributes: attributeMap(nodeAttributes),
      classes: classes[id] ?? [],
      declared: true,
      span: nowhere,
    },
  ]);
  const graph: Graph = {
    name: 'G',
    nameSpan: nowhere,
    attributes: attributeMap(attributes),
    nodes: new Map(built),
    edges: [],
    subgraphs: [],
  };
  return deepFreeze(graph);
}

function attributeMap(attributes: Attributes): ReadonlyMap<string, Attribute> {
  return new Map(
    Object.entries(attributes).map(([name, value]) => [
      name,
      { name, value, origin: 'explicit', keySpan: { start: 0, end: 3 }, valueSpan },
    ]),
  );
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (value instanceof Map) {
    for (const entry of value) entry.forEach(deepFreeze);
    const refuse = () => {
      throw new TypeError('this map is frozen');
    };
    Object.assign(value, { set: refuse, delete: refuse, clear: refuse });
  }
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}

/** The attributes of a node as `name=value (origin)`. */
export function attributesOf(graph: Graph, id: string): readonly string[] {
  return [...(graph.nodes.get(id)?.attributes.values() ?? [])].map(
    ({ name, value, origin }) => `${name}=${typeof value === 'object' ? value.text : value} (${origin})`,
  );
}
