import type { Span } from '../../diagnostic/source.js';
import { joinPoints } from '../../graph/flow/join-points.js';
import type { Graph } from '../../graph/graph.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import { parallelOf } from '../../graph/parallel.js';
import { perGraph } from '../../graph/per-graph.js';
import { type ProgramEdge, type ProgramNode, programNode } from '../../graph/program.js';
import { exitNodes, handlerTypeOf } from '../../graph/queries.js';
import { precedence } from '../../graph/select-edge.js';
import { attributeOwners } from '../attribute-owners.js';
import { routingInDoubt } from '../routing-in-doubt.js';
import { type ConditionSet, conditionSet, type KnownRanges } from './condition-set.js';

/** Node that chooses among its edges by conditions, with the edges in the order in which they are tried. */
export interface StageEdges {
  readonly node: ProgramNode;
  /** Edges with a condition; of several that hold the first is taken (§3.3, SEMANTICS 19). */
  readonly conditional: readonly ProgramEdge[];
  /** Edges without a condition, in the order of the text. */
  readonly plain: readonly ProgramEdge[];
  /** Conditions of `conditional`, for any context; undefined if they are too many. */
  readonly conditions: ConditionSet | undefined;
  /** Conditions with known ranges of some keys; undefined also if a gate has too many choices. */
  within(ranges: KnownRanges): ConditionSet | undefined;
}

/**
 * Nodes with conditions that decide something, by id, computed once for all rules. Left out are nodes with
 * an unreadable condition or a misspelt key, and parallel nodes, whose edges are branches.
 */
export const stageEdges = perGraph((graph, handlerTypes): ReadonlyMap<string, StageEdges> => {
  const byNode = new Map<string, StageEdges>();
  const sets = new ConditionSets();
  const inDoubt = routingInDoubt(graph);
  for (const id of sourcesOfConditions(graph)) {
    const node = routingNode(graph, id, handlerTypes);
    const isSettled = node !== undefined && !node.handler.forks && !inDoubt.has(id);
    const stage = isSettled ? edgesOf(node, sets) : undefined;
    if (stage !== undefined) byNode.set(id, stage);
  }
  return byNode;
});

/** Node in the form that the engine routes on; undefined if the graph has no such node. */
export function routingNode(
  graph: Graph,
  id: string,
  handlerTypes: KnownHandlerTypes,
): ProgramNode | undefined {
  const node = graph.nodes.get(id);
  if (node === undefined) return undefined;
  const handler = handlerTypeOf(graph, node, handlerTypes);
  const joinId = handler.forks ? joinPoints(graph, handlerTypes).get(id) : undefined;
  const parallel =
    joinId === undefined ? undefined : parallelOf(graph, node, joinId, exitNodes(graph)[0]?.id ?? joinId);
  return programNode(graph, node, handler, parallel);
}

/** Span of an edge in the text. */
export function spanOfEdge(graph: Graph, { index }: ProgramEdge): Span {
  return graph.edges[index]?.span ?? graph.nameSpan;
}

function sourcesOfConditions(graph: Graph): ReadonlySet<string> {
  const sources = new Set<string>();
  for (const { from } of attributeOwners(graph).edgesWith('condition')) sources.add(from);
  return sources;
}

/** Maximum of choices: each one of a human gate is judged separately, and no person chooses among more. */
const mostChoices = 100;

function edgesOf(node: ProgramNode, sets: ConditionSets): StageEdges | undefined {
  const isUnreadable = (edge: ProgramEdge): boolean =>
    edge.condition === undefined && edge.conditionText !== '';
  if (node.edges.some(isUnreadable)) return undefined;
  const conditional = node.edges.filter(({ condition }) => condition !== undefined).sort(precedence);
  if (conditional.length === 0) return undefined;
  const isTooWide = node.handler.type === 'wait.human' && node.edges.length > mostChoices;
  return {
    node,
    conditional,
    plain: node.edges.filter(({ condition }) => condition === undefined),
    conditions: sets.of(conditional, anything),
    within: (ranges) => (isTooWide ? undefined : sets.of(conditional, ranges)),
  };
}

/** Cache of condition sets: many nodes of a pipeline have the same conditions, and so the same answers. */
class ConditionSets {
  readonly #byText = new Map<string, ConditionSet | undefined>();
  readonly #namesOfRanges = new Map<KnownRanges, string>();

  of(edges: readonly ProgramEdge[], ranges: KnownRanges): ConditionSet | undefined {
    let text = this.#nameOf(ranges);
    for (const { conditionText } of edges) text += `${conditionText.length}:${conditionText}`;
    if (this.#byText.has(text)) return this.#byText.get(text);
    const conditions = edges.flatMap(({ condition }) => condition ?? []);
    const set = conditionSet(conditions, ranges);
    this.#byText.set(text, set);
    return set;
  }

  #nameOf(ranges: KnownRanges): string {
    const existing = this.#namesOfRanges.get(ranges);
    if (existing !== undefined) return existing;
    const name = JSON.stringify([...ranges]);
    this.#namesOfRanges.set(ranges, name);
    return name;
  }
}

const anything: KnownRanges = new Map();
