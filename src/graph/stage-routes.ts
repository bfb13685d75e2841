import type { Condition, Operand } from '../parser/condition/ast.js';
import type { KeyEntry } from '../parser/key-list/ast.js';
import { edgeAttribute, nodeAttribute } from './attributes.js';
import type { Edge, Graph } from './graph.js';
import { labelDecides, mayFollowSuccess } from './label-decides.js';
import type { Program } from './program.js';
import { conditionOf, outgoingEdges } from './queries.js';
import { assignmentsOf } from './values/assignments.js';
import { keyListOf } from './values/key-lists.js';

/** Options of an outcome for the route from a stage (§3.3). */
export interface StageRoutes {
  /**
   * Values of `preferred_label`, each once, in the order of the text: labels, and words that conditions ask
   * for.
   */
  readonly labels: readonly string[];
  /** Nodes that `suggested_next_ids` can name: the targets of edges without conditions. */
  readonly targets: readonly string[];
  /** True if there is more than one route, so that a stage should choose. */
  readonly isChoice: boolean;
  /**
   * True if a success must have a label, because its way depends on it: without one after the reminders the stage fails
   * (SEMANTICS 128). Not with `auto_status=true`.
   */
  readonly needsLabel?: boolean;
  /** Keys that a success must report (SEMANTICS 103), without those that the node assigns itself. */
  readonly writes?: readonly KeyEntry[];
}

/**
 * Routes from a stage. A diamond after it routes on its outcome (SEMANTICS 21), so that the diamond's
 * routes are its own.
 */
export function stageRoutes({ graph, nodes }: Pick<Program, 'graph' | 'nodes'>, nodeId: string): StageRoutes {
  const labels = new Set<string>();
  const targets = new Set<string>();
  let isChoice = false;
  const seen = new Set([nodeId]);
  for (const from of seen) {
    const edges = outgoingEdges(graph, from);
    if (edges.length > 1) isChoice = true;
    for (const edge of edges) {
      for (const label of labelsOf(edge)) labels.add(label);
      if (from === nodeId && conditionOf(edge).condition === undefined) targets.add(edge.to);
      if (nodes.get(edge.to)?.handler.inheritsOutcome === true) seen.add(edge.to);
    }
  }
  const all = [...labels];
  return {
    labels: all,
    targets: [...targets],
    isChoice,
    needsLabel: needsLabel(nodes, nodeId, all),
    writes: writesOf(graph, nodeId),
  };
}

/** True if the label of a success decides its way, at the stage or at a diamond that routes on its outcome (SEMANTICS 128). */
function needsLabel(nodes: Program['nodes'], nodeId: string, labels: readonly string[]): boolean {
  const stage = nodes.get(nodeId);
  if (stage === undefined || nodeAttribute(stage.node, 'auto_status')) return false;
  const seen = new Set([stage]);
  for (const { edges } of seen) {
    if (labelDecides(edges, labels)) return true;
    for (const edge of edges) {
      const next = nodes.get(edge.to);
      if (next?.handler.inheritsOutcome === true && mayFollowSuccess(edge, labels)) seen.add(next);
    }
  }
  return false;
}

function writesOf(graph: Graph, nodeId: string): readonly KeyEntry[] | undefined {
  const node = graph.nodes.get(nodeId);
  const attribute = node?.attributes.get('writes');
  if (node === undefined || attribute === undefined) return undefined;
  const assigned = new Set(assignmentsOf(node).map(({ key }) => key));
  return keyListOf(attribute).list?.entries.filter(({ key }) => !assigned.has(key));
}

/**
 * Words of an edge; the label of one with a condition is only for readers, so the words of its condition
 * count.
 */
function labelsOf(edge: Edge): readonly string[] {
  const { condition } = conditionOf(edge);
  if (condition !== undefined) return labelsAskedFor(condition);
  const label = edgeAttribute(edge, 'label').trim();
  return label === '' ? [] : [label];
}

function labelsAskedFor(condition: Condition): readonly string[] {
  switch (condition.kind) {
    case 'or':
    case 'and':
      return condition.operands.flatMap(labelsAskedFor);
    case 'not':
      return labelsAskedFor(condition.operand);
    case 'comparison':
      return isPreferredLabel(condition.left) ? textsOf(condition.right) : [];
    case 'constant':
    case 'exists':
    case 'truthy':
      return [];
  }
}

function isPreferredLabel(operand: Operand): boolean {
  return operand.kind === 'key' && operand.path === 'preferred_label';
}

function textsOf(operand: Operand): readonly string[] {
  if (operand.kind === 'list') return operand.items.flatMap(textsOf);
  return operand.kind === 'literal' && operand.value !== '' ? [operand.value] : [];
}
