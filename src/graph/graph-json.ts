import { lineRange } from '../diagnostic/render-json.js';
import type { SourceText } from '../diagnostic/source.js';
import type { AttributeMap, Graph, Subgraph } from './graph.js';
import { handlerTypeOf } from './queries.js';

/**
 * Graph as `attractor parse` prints it (DESIGN §5, SEMANTICS 90): integers, floats and booleans typed,
 * durations as text.
 * @param handlerTypes every type that has a handler
 */
export function graphToJson(graph: Graph, source: SourceText, handlerTypes: ReadonlySet<string>) {
  return {
    name: graph.name,
    attributes: attributesToJson(graph.attributes),
    nodes: [...graph.nodes.values()].map((node) => ({
      id: node.id,
      attributes: attributesToJson(node.attributes),
      classes: node.classes,
      handler: handlerTypeOf(graph, node, handlerTypes).type,
      span: lineRange(node.span, source),
    })),
    edges: graph.edges.map((edge) => ({
      from: edge.from,
      to: edge.to,
      attributes: attributesToJson(edge.attributes),
      span: lineRange(edge.span, source),
    })),
    subgraphs: graph.subgraphs.map((subgraph) => subgraphToJson(graph, subgraph, source)),
  };
}

function subgraphToJson(graph: Graph, subgraph: Subgraph, source: SourceText) {
  const parent = subgraph.parent === undefined ? undefined : graph.subgraphs[subgraph.parent];
  return {
    name: subgraph.name ?? null,
    parent: parent?.name ?? null,
    attributes: attributesToJson(subgraph.attributes),
    nodes: subgraph.nodeIds,
    span: lineRange(subgraph.span, source),
  };
}

function attributesToJson(attributes: AttributeMap): Readonly<Record<string, string | number | boolean>> {
  return Object.fromEntries(
    [...attributes.values()].map(({ name, value }) => [name, typeof value === 'object' ? value.text : value]),
  );
}
