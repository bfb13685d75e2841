import type { AttributeDefinition } from '../graph/attribute-tables/attribute-definition.js';
import { type AttributeOwner, attributeDefinition } from '../graph/attributes.js';
import type { Attribute, Edge, Graph, Node } from '../graph/graph.js';
import { perObject } from '../graph/per-object.js';
import { attributeOwners } from './attribute-owners.js';
import type { Finding } from './rule.js';

/** Attribute in a graph, with its row of the table and its owner. */
export interface WrittenAttribute {
  readonly attribute: Attribute;
  readonly owner: AttributeOwner;
  /** Undefined for an unknown name. */
  readonly definition: AttributeDefinition | undefined;
  /** Owner in a finding about it. */
  readonly place: Pick<Finding, 'nodeId' | 'edge'>;
  readonly node: Node | undefined;
}

/**
 * Attributes of a graph, its nodes and its edges whose text may have a value of the run in it (`${`),
 * computed once: for most texts rules need to know nothing else. Each is listed once, even if a default
 * block or a chain gives it to several owners.
 */
export const attributesWithValues = perObject((graph: Graph): readonly WrittenAttribute[] =>
  attributeOwners(graph).attributes.some(mayHaveValue) ? writtenAttributes(graph, mayHaveValue) : [],
);

function mayHaveValue({ value }: Attribute): boolean {
  return typeof value === 'string' && value.includes('${');
}

/** Attributes that pass a test. */
export function writtenAttributes(
  graph: Graph,
  isWanted: (attribute: Attribute) => boolean,
): readonly WrittenAttribute[] {
  const seen = new Set<Attribute>();
  const written: WrittenAttribute[] = [];
  const add = (owner: AttributeOwner, one: Graph | Node | Edge): void => {
    for (const attribute of one.attributes.values()) {
      if (!isWanted(attribute) || seen.has(attribute)) continue;
      seen.add(attribute);
      const definition = attributeDefinition(owner, attribute.name);
      const node = 'classes' in one ? one : undefined;
      written.push({ attribute, owner, definition, place: placeOf(one), node });
    }
  };
  add('graph', graph);
  for (const node of graph.nodes.values()) add('node', node);
  for (const edge of graph.edges) add('edge', edge);
  return written;
}

function placeOf(owner: Graph | Node | Edge): WrittenAttribute['place'] {
  if ('classes' in owner) return { nodeId: owner.id };
  return 'from' in owner ? { edge: [owner.from, owner.to] } : {};
}
