import type { Graph, Node } from '../../graph/graph.js';
import { handlerTypeNamed } from '../../graph/handler-types.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import { perGraph } from '../../graph/per-graph.js';
import { perObject } from '../../graph/per-object.js';
import { nodesHandledBy } from '../../graph/queries.js';
import { writingType } from '../../graph/values/handler-keys.js';
import { writingAttributes, writtenKeys } from '../../graph/values/written-keys.js';
import { attributeOwners } from '../attribute-owners.js';
import { handlersInDoubt } from '../misspelt.js';

/** Key that a parallel node sets and a fan-in consumes (SEMANTICS 53a). */
export const parallelResultsKey = 'parallel.results';

const jsonOfTool = 'tool.json';

/** True for a path into the JSON that a tool prints. */
export function isInJsonOfTool(key: string): boolean {
  return key === jsonOfTool || key.startsWith(`${jsonOfTool}.`);
}

/** True for a tool that prints JSON; every other one removes that of the tool before (SEMANTICS 103). */
export function printsJson({ attributes }: Node): boolean {
  return attributes.get('output')?.value === 'json';
}

const always: ReadonlySet<string> = new Set([
  'outcome',
  'preferred_label',
  'current_node',
  'graph',
  'inputs',
]);

/**
 * True if a key is set from the beginning, or from outside: by the engine, the graph or the inputs (§5.1).
 */
export function isAlwaysSet(key: string): boolean {
  const dot = key.indexOf('.');
  const root = dot === -1 ? key : key.slice(0, dot);
  return always.has(key) || ['graph', 'inputs', 'internal', 'result', 'stages', 'work'].includes(root);
}

/** Nodes with a `writes` or an `assign.<key>`, computed once. */
export const writingNodes = perObject((graph: Graph): ReadonlySet<Node> => {
  const { namesAtNodes, nodesWith } = attributeOwners(graph);
  return new Set(writingAttributes(namesAtNodes).flatMap(nodesWith));
});

/** Stages that set keys, according to the graph. */
export interface ContextWriters {
  /** Stages that set a key, or a part of its value: by their handler, or according to their `writes` and `assign.*`. */
  of(key: string): ReadonlySet<Node>;
  /** Stages that set it according to their `writes` and `assign.*`. */
  declaredFor(key: string): ReadonlySet<Node>;
  /** Keys in any `writes`, and of any `assign.*`. */
  readonly declaredKeys: ReadonlySet<string>;
  /** Stages with a custom or misspelt handler: they may set anything. */
  readonly custom: ReadonlySet<Node>;
}

/** Writers of the context of a graph, computed once. */
export const contextWriters = perGraph(findWriters);

function findWriters(graph: Graph, handlerTypes: KnownHandlerTypes): ContextWriters {
  const byKey = new Map<string, Node[]>();
  const belowKey = new Map<string, Node[]>();
  const handledBy = (isWanted: (type: string) => boolean): readonly Node[] =>
    nodesHandledBy(graph, handlerTypes, ({ type }) => isWanted(type));
  for (const node of writingNodes(graph)) {
    for (const { key } of writtenKeys(node)) {
      append(byKey, key, node);
      for (const prefix of prefixesOf(key)) append(belowKey, prefix, node);
    }
  }
  const declaredFor = once((key) => [
    ...[key, ...prefixesOf(key)].flatMap((one) => byKey.get(one) ?? []),
    ...(belowKey.get(key) ?? []),
  ]);
  const all = once((key) => {
    const writing = writingType(key)?.type;
    const ofType = handledBy((type) => type === writing);
    return [...declaredFor(key), ...(isInJsonOfTool(key) ? ofType.filter(printsJson) : ofType)];
  });
  const custom = new Set([
    ...handledBy((type) => handlerTypeNamed(type) === undefined),
    ...handlersInDoubt(graph, handlerTypes),
  ]);
  return { declaredFor, of: all, declaredKeys: new Set(byKey.keys()), custom };
}

/** Caches the stages of each key: a key that every stage sets may be one that every stage reads. */
function once(find: (key: string) => Iterable<Node>): (key: string) => ReadonlySet<Node> {
  const nodesByKey = new Map<string, ReadonlySet<Node>>();
  return (key) => {
    const nodes = nodesByKey.get(key) ?? new Set(find(key));
    nodesByKey.set(key, nodes);
    return nodes;
  };
}

/** `a.b`, `a` of `a.b.c`. */
function prefixesOf(key: string): readonly string[] {
  const prefixes: string[] = [];
  for (let dot = key.lastIndexOf('.'); dot > 0; dot = key.lastIndexOf('.', dot - 1)) {
    prefixes.push(key.slice(0, dot));
  }
  return prefixes;
}

function append(nodes: Map<string, Node[]>, name: string, node: Node): void {
  const existing = nodes.get(name);
  if (existing === undefined) nodes.set(name, [node]);
  else existing.push(node);
}
