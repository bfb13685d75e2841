import { createHash } from 'node:crypto';
import { type AttributeMap, attributeText, type Graph } from '../graph/graph.js';

/**
 * The identity of a pipeline: sha-256 of its graph written in one canonical form, so that comments, blanks and the order
 * of declarations do not change it.
 */
export function graphHash(graph: Graph): string {
  const nodes = [...graph.nodes.values()].map((node) => [
    node.id,
    attributesText(node.attributes),
    [...node.classes].sort(),
  ]);
  const edges = graph.edges.map((edge) => [edge.from, edge.to, attributesText(edge.attributes)]);
  const canonical = [graph.name, attributesText(graph.attributes), nodes.sort(byFirst), edges];
  return createHash('sha256').update(JSON.stringify(canonical)).digest('hex');
}

function attributesText(attributes: AttributeMap): readonly (readonly [string, string])[] {
  return [...attributes.values()]
    .map(({ name, value }): [string, string] => [name, attributeText(value)])
    .sort(byFirst);
}

function byFirst(one: readonly unknown[], other: readonly unknown[]): number {
  return String(one[0]) < String(other[0]) ? -1 : 1;
}
