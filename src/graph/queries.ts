import type { ConditionParseResult } from '../parser/condition/ast.js';
import { parseCondition } from '../parser/condition/parse.js';
import { nodeAttribute } from './attributes.js';
import { adjacencyOf } from './flow/adjacency.js';
import type { Attribute, Edge, Graph, Node } from './graph.js';
import {
  customHandlerType,
  type HandlerType,
  handlerTypeNamed,
  handlerTypeOfShape,
} from './handler-types.js';
import type { KnownHandlerTypes } from './known-handler-types.js';
import { perGraph } from './per-graph.js';
import { perObject } from './per-object.js';

/**
 * Start nodes (§3.2, SEMANTICS 41): every node of shape `Mdiamond` or type `start`; only if there is none,
 * the node called `start` or `Start`. A valid pipeline has exactly one.
 */
export function startNodes(graph: Graph): readonly Node[] {
  return rolesOf(graph).start;
}

/** Exit nodes: shape `Msquare` or type `exit`; only if there is none, the node called `exit` or `end`. */
export function exitNodes(graph: Graph): readonly Node[] {
  return rolesOf(graph).exit;
}

interface Roles {
  readonly start: readonly Node[];
  readonly exit: readonly Node[];
  readonly roleById: ReadonlyMap<string, 'start' | 'exit'>;
}

const rolesOf = perObject((graph: Graph): Roles => {
  const start: Node[] = [];
  const exit: Node[] = [];
  for (const node of graph.nodes.values()) {
    const shape = node.attributes.get('shape')?.value;
    const type = node.attributes.get('type')?.value;
    if (shape === 'Mdiamond' || type === 'start') start.push(node);
    if (shape === 'Msquare' || type === 'exit') exit.push(node);
  }
  if (start.length === 0) start.push(...nodesCalled(graph, ['start', 'Start']));
  if (exit.length === 0) exit.push(...nodesCalled(graph, ['exit', 'end']));
  const roleById = new Map<string, 'start' | 'exit'>();
  for (const { id } of exit) roleById.set(id, 'exit');
  for (const { id } of start) roleById.set(id, 'start');
  return { start, exit, roleById };
});

function nodesCalled(graph: Graph, ids: readonly string[]): readonly Node[] {
  return ids.map((id) => graph.nodes.get(id)).filter((node) => node !== undefined);
}

/** Edges that leave a node, in the order of the text. */
export function outgoingEdges(graph: Graph, nodeId: string): readonly Edge[] {
  const { numberOf, outgoing, outgoingOfOthers } = adjacencyOf(graph);
  const number = numberOf.get(nodeId);
  return (number === undefined ? outgoingOfOthers.get(nodeId) : outgoing[number]) ?? none;
}

const none: readonly Edge[] = [];

/** Edges that enter a node, in the order of the text. */
export function incomingEdges(graph: Graph, nodeId: string): readonly Edge[] {
  return edgesByTarget(graph).get(nodeId) ?? none;
}

const edgesByTarget = perObject(({ edges }: Graph): ReadonlyMap<string, readonly Edge[]> => {
  const incoming = new Map<string, Edge[]>();
  for (const edge of edges) {
    const others = incoming.get(edge.to);
    if (others === undefined) incoming.set(edge.to, [edge]);
    else others.push(edge);
  }
  return incoming;
});

/**
 * Handler type of a node (§4.2): its `type` if that is known, else `start` or `exit` for the node in that
 * role, else by its shape, else an LLM stage. Computed once for each node.
 * @param knownTypes every type that has a handler, registered ones included
 */
export function handlerTypeOf(graph: Graph, node: Node, knownTypes: KnownHandlerTypes): HandlerType {
  const { nodes, numberOf } = adjacencyOf(graph);
  const number = numberOf.get(node.id);
  const handler = number === undefined ? undefined : usedHandlerTypes(graph, knownTypes)[number];
  const isOfGraph = number !== undefined && nodes[number] === node;
  return isOfGraph && handler !== undefined ? handler : findHandlerType(graph, node, knownTypes);
}

interface HandlersOfNodes {
  /** Handler types in the order of the nodes. */
  readonly handlers: readonly HandlerType[];
  /** Groups by the name of the type. */
  readonly groups: ReadonlyMap<string, { readonly handler: HandlerType; readonly nodes: readonly Node[] }>;
}

/**
 * Handler types of all nodes of a graph, in the order of the nodes: the result of `handlerTypeOf` for each.
 */
export function usedHandlerTypes(graph: Graph, knownTypes: KnownHandlerTypes): readonly HandlerType[] {
  return handlersOfNodes(graph, knownTypes).handlers;
}

/** Nodes of all handler types that pass a test, in the order of the nodes. */
export function nodesHandledBy(
  graph: Graph,
  knownTypes: KnownHandlerTypes,
  isWanted: (handler: HandlerType) => boolean,
): readonly Node[] {
  const { handlers, groups } = handlersOfNodes(graph, knownTypes);
  const matching = [...groups.values()].filter(({ handler }) => isWanted(handler));
  const [only, second] = matching;
  if (only === undefined) return [];
  if (second === undefined) return only.nodes;
  const types = new Set(matching.map(({ handler }) => handler.type));
  return adjacencyOf(graph).nodes.filter((_, number) => types.has(handlers[number]?.type ?? ''));
}

const handlersOfNodes = perGraph((graph, knownTypes): HandlersOfNodes => {
  const handlers: HandlerType[] = [];
  const groups = new Map<string, { readonly handler: HandlerType; readonly nodes: Node[] }>();
  for (const node of adjacencyOf(graph).nodes) {
    const handler = findHandlerType(graph, node, knownTypes);
    handlers.push(handler);
    const group = groups.get(handler.type);
    if (group === undefined) groups.set(handler.type, { handler, nodes: [node] });
    else group.nodes.push(node);
  }
  return { handlers, groups };
});

function findHandlerType(graph: Graph, node: Node, knownTypes: KnownHandlerTypes): HandlerType {
  const type = nodeAttribute(node, 'type');
  if (type !== '' && knownTypes.has(type)) {
    return knownTypes.described?.get(type) ?? handlerTypeNamed(type) ?? customHandlerType(type);
  }
  const role = rolesOf(graph).roleById.get(node.id);
  const row =
    (role === undefined ? undefined : handlerTypeNamed(role)) ??
    handlerTypeOfShape(nodeAttribute(node, 'shape')) ??
    handlerTypeNamed('codergen');
  return row ?? customHandlerType(type);
}

/** Parsed conditions by text: most pipelines repeat the same few; the number is limited for others. */
const conditionOfText = new Map<string, ConditionParseResult>();
const mostTexts = 500;
const longestText = 200;

/** Parsed condition of an edge, parsed once; without a condition if the edge is unconditional. */
export function conditionOf(edge: Edge): ConditionParseResult {
  return parsedCondition(edge.attributes.get('condition'));
}

/** Parsed condition that ends a manager loop (§4.11), parsed once; without one if none is set. */
export function stopConditionOf(node: Node): ConditionParseResult {
  return nodeConditionOf(node, 'manager.stop_condition');
}

/** Parsed condition that makes a FAIL of a success (SEMANTICS 103). */
export function failConditionOf(node: Node): ConditionParseResult {
  return nodeConditionOf(node, 'fail_when');
}

/** Parsed condition under which a FAIL may be retried (SEMANTICS 103). */
export function retryConditionOf(node: Node): ConditionParseResult {
  return nodeConditionOf(node, 'retry_when');
}

/** Attributes of nodes that are conditions. */
export const nodeConditions = ['manager.stop_condition', 'fail_when', 'retry_when'] as const;

export function nodeConditionOf(
  { attributes }: Node,
  name: (typeof nodeConditions)[number],
): ConditionParseResult {
  const attribute = attributes.get(name);
  return attribute?.value === '' ? noCondition : parsedCondition(attribute);
}

const noCondition: ConditionParseResult = { diagnostics: [] };

function parsedCondition(attribute: Attribute | undefined): ConditionParseResult {
  return attribute === undefined ? { diagnostics: [] } : conditionIn(attribute);
}

const conditionIn = perObject(({ value }: Attribute): ConditionParseResult => {
  const text = String(value);
  const parsed = conditionOfText.get(text) ?? parseCondition(text);
  if (conditionOfText.size < mostTexts && text.length <= longestText) conditionOfText.set(text, parsed);
  return parsed;
});
