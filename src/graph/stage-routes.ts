import type { Condition, Operand } from '../parser/condition/ast.js';
import { edgeAttribute } from './attributes.js';
import type { Edge, Graph } from './graph.js';
import { conditionOf, outgoingEdges } from './queries.js';

/** What an outcome can choose between where control leaves a stage (§3.3). */
export interface StageRoutes {
  /** What a `preferred_label` can say, each once, in the order of the text: labels, and words that conditions ask for. */
  readonly labels: readonly string[];
  /** Nodes that `suggested_next_ids` can name: edges without conditions lead there. */
  readonly targets: readonly string[];
  /** Whether more than one thing can follow, so that a stage should say which. */
  readonly isChoice: boolean;
}

/**
 * The ways out of a stage. A diamond after it routes on its outcome (SEMANTICS 21), so that the diamond's ways are its own.
 * @param inheritsOutcome whether a node passes the outcome of the stage before it through
 */
export function stageRoutes(
  graph: Graph,
  nodeId: string,
  inheritsOutcome: (nodeId: string) => boolean,
): StageRoutes {
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
      if (inheritsOutcome(edge.to)) seen.add(edge.to);
    }
  }
  return { labels: [...labels], targets: [...targets], isChoice };
}

/** The label of an edge with a condition is only there to be read; what its condition asks for counts. */
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
