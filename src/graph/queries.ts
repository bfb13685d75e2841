import type { ConditionParseResult } from '../parser/condition/ast.js';
import { parseCondition } from '../parser/condition/parse.js';
import { nodeAttribute } from './attributes.js';
import type { Attribute, Edge, Graph, Node } from './graph.js';
import {
  customHandlerType,
  type HandlerType,
  handlerTypeNamed,
  handlerTypeOfShape,
} from './handler-types.js';
import type { KnownHandlerTypes } from './known-handler-types.js';

/**
 * The start nodes (§3.2, SEMANTICS 41): every node of shape `Mdiamond` or type `start`; only where there is none, the
 * node called `start` or `Start`. A valid pipeline has exactly one.
 */
export function startNodes(graph: Graph): readonly Node[] {
  return rolesOf(graph).start;
}

/** The exit nodes: shape `Msquare` or type `exit`; only where there is none, the node called `exit` or `end`. */
export function exitNodes(graph: Graph): readonly Node[] {
  return rolesOf(graph).exit;
}

type Roles = Readonly<Record<'start' | 'exit', readonly Node[]>>;

const rolesOfGraph = new WeakMap<Graph, Roles>();

function rolesOf(graph: Graph): Roles {
  const known = rolesOfGraph.get(graph);
  if (known !== undefined) return known;
  const roles = {
    start: nodesWithRole(graph, 'start', 'Mdiamond', ['start', 'Start']),
    exit: nodesWithRole(graph, 'exit', 'Msquare', ['exit', 'end']),
  };
  rolesOfGraph.set(graph, roles);
  return roles;
}

function nodesWithRole(graph: Graph, type: string, shape: string, ids: readonly string[]): readonly Node[] {
  const nodes: Node[] = [];
  for (const node of graph.nodes.values()) {
    const { attributes } = node;
    if (attributes.get('type')?.value === type || attributes.get('shape')?.value === shape) nodes.push(node);
  }
  if (nodes.length > 0) return nodes;
  return ids.map((id) => graph.nodes.get(id)).filter((node) => node !== undefined);
}

interface Adjacency {
  readonly outgoing: ReadonlyMap<string, readonly Edge[]>;
  readonly incoming: ReadonlyMap<string, readonly Edge[]>;
  readonly roleById: ReadonlyMap<string, 'start' | 'exit'>;
}

const adjacencyOfGraph = new WeakMap<Graph, Adjacency>();

function adjacencyOf(graph: Graph): Adjacency {
  const known = adjacencyOfGraph.get(graph);
  if (known !== undefined) return known;
  const outgoing = new Map<string, Edge[]>();
  const incoming = new Map<string, Edge[]>();
  for (const edge of graph.edges) {
    append(outgoing, edge.from, edge);
    append(incoming, edge.to, edge);
  }
  const roleById = new Map<string, 'start' | 'exit'>();
  for (const node of exitNodes(graph)) roleById.set(node.id, 'exit');
  for (const node of startNodes(graph)) roleById.set(node.id, 'start');
  const adjacency = { outgoing, incoming, roleById };
  adjacencyOfGraph.set(graph, adjacency);
  return adjacency;
}

function append(edgesById: Map<string, Edge[]>, id: string, edge: Edge): void {
  const edges = edgesById.get(id);
  if (edges === undefined) edgesById.set(id, [edge]);
  else edges.push(edge);
}

/** In the order of the text. */
export function outgoingEdges(graph: Graph, nodeId: string): readonly Edge[] {
  return adjacencyOf(graph).outgoing.get(nodeId) ?? [];
}

export function incomingEdges(graph: Graph, nodeId: string): readonly Edge[] {
  return adjacencyOf(graph).incoming.get(nodeId) ?? [];
}

interface TypesOfNodes {
  readonly knownTypes: KnownHandlerTypes;
  readonly byNode: Map<Node, HandlerType>;
}

const typesOfGraph = new WeakMap<Graph, TypesOfNodes>();

/**
 * The handler type of a node (§4.2): its `type` where that is known, else `start` or `exit` for the node that has that
 * part, else by its shape, else an LLM stage. Found once for each node.
 * @param knownTypes every type that has a handler, registered ones included
 */
export function handlerTypeOf(graph: Graph, node: Node, knownTypes: KnownHandlerTypes): HandlerType {
  let types = typesOfGraph.get(graph);
  if (types?.knownTypes !== knownTypes) {
    types = { knownTypes, byNode: new Map() };
    typesOfGraph.set(graph, types);
  }
  const known = types.byNode.get(node);
  if (known !== undefined) return known;
  const found = findHandlerType(graph, node, knownTypes);
  types.byNode.set(node, found);
  return found;
}

function findHandlerType(graph: Graph, node: Node, knownTypes: KnownHandlerTypes): HandlerType {
  const type = nodeAttribute(node, 'type');
  if (type !== '' && knownTypes.has(type)) {
    return knownTypes.described?.get(type) ?? handlerTypeNamed(type) ?? customHandlerType(type);
  }
  const role = adjacencyOf(graph).roleById.get(node.id);
  const row =
    (role === undefined ? undefined : handlerTypeNamed(role)) ??
    handlerTypeOfShape(nodeAttribute(node, 'shape')) ??
    handlerTypeNamed('codergen');
  return row ?? customHandlerType(type);
}

const conditionOfAttribute = new WeakMap<Attribute, ConditionParseResult>();

/** Most pipelines repeat the same few conditions; of others only so many texts are remembered. */
const conditionOfText = new Map<string, ConditionParseResult>();
const mostTexts = 500;
const longestText = 200;

/** The parsed condition of an edge, parsed once; without a condition where the edge is unconditional. */
export function conditionOf(edge: Edge): ConditionParseResult {
  return parsedCondition(edge.attributes.get('condition'));
}

/** The parsed condition that ends a manager loop (§4.11), parsed once; without one where none is set. */
export function stopConditionOf(node: Node): ConditionParseResult {
  return parsedCondition(node.attributes.get('manager.stop_condition'));
}

function parsedCondition(attribute: Attribute | undefined): ConditionParseResult {
  if (attribute === undefined) return { diagnostics: [] };
  const known = conditionOfAttribute.get(attribute);
  if (known !== undefined) return known;
  const text = String(attribute.value);
  const parsed = conditionOfText.get(text) ?? parseCondition(text);
  if (conditionOfText.size < mostTexts && text.length <= longestText) conditionOfText.set(text, parsed);
  conditionOfAttribute.set(attribute, parsed);
  return parsed;
}
