import { type AttributeDefinition, type AttributeOwner, attributeDefinition } from '../graph/attributes.js';
import type { Attribute, Edge, Graph, Node } from '../graph/graph.js';
import type { Finding } from './rule.js';

/** An attribute somewhere in a graph, with its row of the table and who has it. */
export interface WrittenAttribute {
  readonly attribute: Attribute;
  readonly owner: AttributeOwner;
  /** Undefined for a name that the language does not know. */
  readonly definition: AttributeDefinition | undefined;
  /** What a finding about it says of its owner. */
  readonly place: Pick<Finding, 'nodeId' | 'edge'>;
  readonly node: Node | undefined;
}

/** Every attribute of a graph, its nodes and its edges once, though a default block or a chain gives it to several. */
export function* writtenAttributes(graph: Graph): Iterable<WrittenAttribute> {
  const seen = new Set<Attribute>();
  const owners: readonly (readonly [AttributeOwner, Iterable<Graph | Node | Edge>])[] = [
    ['graph', [graph]],
    ['node', graph.nodes.values()],
    ['edge', graph.edges],
  ];
  for (const [owner, written] of owners) {
    for (const one of written) {
      for (const attribute of one.attributes.values()) {
        if (seen.has(attribute)) continue;
        seen.add(attribute);
        const definition = attributeDefinition(owner, attribute.name);
        const node = 'classes' in one ? one : undefined;
        yield { attribute, owner, definition, place: placeOf(one), node };
      }
    }
  }
}

function placeOf(owner: Graph | Node | Edge): WrittenAttribute['place'] {
  if ('classes' in owner) return { nodeId: owner.id };
  return 'from' in owner ? { edge: [owner.from, owner.to] } : {};
}
