import { type AttributeOwner, attributeDefinition, nodeAttribute } from '../graph/attributes.js';
import type { Edge, Graph, Node } from '../graph/graph.js';
import { isGraphvizAttribute } from '../graph/graphviz/graphviz-attributes.js';
import { isGraphvizShape } from '../graph/graphviz/graphviz-shapes.js';
import { handlerTypeOfShape } from '../graph/handler-types.js';
import { perGraph } from '../graph/per-graph.js';
import { perObject } from '../graph/per-object.js';
import { attributeGuesser, nameMeant } from './attribute-guess.js';
import { attributeOwners } from './attribute-owners.js';

/**
 * Names that other findings call misspelt. A rule about something missing is silent if it is only misspelt:
 * one mistake is reported once.
 */
export interface Misspelt {
  /** True if a node has an attribute of another name that `attribute_known` takes for this one. */
  nodeMeans(node: Node, name: string): boolean;
  nodesMeaning(name: string): ReadonlySet<Node>;
  edgeMeans(edge: Edge, name: string): boolean;
  graphMeans(name: string): boolean;
  /** Nodes with an edge that was meant to have a condition or a label. */
  readonly sources: ReadonlySet<string>;
}

const noNodes: ReadonlySet<Node> = new Set();

/** Misspelt names, computed once for all rules, and only for unknown names: most graphs have none. */
export const misspelt = perObject((graph: Graph): Misspelt => {
  const { namesAtNodes, nodesWith, namesAtEdges, edgesWith } = attributeOwners(graph);
  const nodes = meantBy('node', namesAtNodes, nodesWith);
  const edges = meantBy('edge', namesAtEdges, edgesWith);
  const ofGraph = meantBy('graph', [...graph.attributes.keys()], () => [graph]);
  const deciding = [...(edges.get('condition') ?? []), ...(edges.get('label') ?? [])];
  return {
    nodeMeans: (node, name) => nodes.get(name)?.has(node) === true,
    nodesMeaning: (name) => nodes.get(name) ?? noNodes,
    edgeMeans: (edge, name) => edges.get(name)?.has(edge) === true,
    graphMeans: (name) => ofGraph.has(name),
    sources: new Set(deciding.map(({ from }) => from)),
  };
});

/** Owners that were meant to have an attribute, by its name. */
function meantBy<Owner>(
  kind: AttributeOwner,
  names: readonly string[],
  ownersWith: (name: string) => readonly Owner[],
): ReadonlyMap<string, ReadonlySet<Owner>> {
  const meant = new Map<string, Set<Owner>>();
  const unknown = names.filter((name) => !attributeDefinition(kind, name) && !isGraphvizAttribute(name));
  if (unknown.length === 0) return meant;
  const guess = attributeGuesser(kind);
  for (const name of unknown) {
    const guessed = guess(name);
    const instead = nameMeant(guessed);
    if (instead === undefined) continue;
    const owners = meant.get(instead) ?? new Set();
    for (const owner of ownersWith(name)) owners.add(owner);
    meant.set(instead, owners);
  }
  return meant;
}

/**
 * Nodes whose handler is not the one that their author means: the `type`, the `shape`, or one of those keys
 * is misspelt.
 */
export const handlersInDoubt = perGraph((graph, handlerTypes): ReadonlySet<Node> => {
  const { nodesWith } = attributeOwners(graph);
  const isUnknownType = (node: Node): boolean => {
    const type = nodeAttribute(node, 'type');
    return type !== '' && !handlerTypes.has(type);
  };
  const isUnknownShape = (node: Node): boolean => {
    const shape = nodeAttribute(node, 'shape');
    return handlerTypeOfShape(shape) === undefined && !isGraphvizShape(shape);
  };
  const { nodesMeaning } = misspelt(graph);
  const byShape = [
    ...nodesWith('shape').filter(isUnknownShape),
    ...nodesMeaning('type'),
    ...nodesMeaning('shape'),
  ];
  return new Set([
    ...nodesWith('type').filter(isUnknownType),
    ...byShape.filter((node) => nodeAttribute(node, 'type') === ''),
  ]);
});
