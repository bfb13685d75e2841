import { excerpt } from '../../../diagnostic/excerpt.js';
import { edgeAttribute } from '../../../graph/attributes.js';
import type { Attribute, Edge, Graph } from '../../../graph/graph.js';
import { handlerTypeOf, outgoingEdges } from '../../../graph/queries.js';
import { attributeOwners } from '../../attribute-owners.js';
import type { LintContext, LintRule } from '../../rule.js';

/** §3.3, SEMANTICS 19: a weight decides between edges that could both be taken. */
export const weightWithoutEffect: LintRule = {
  name: 'weight_without_effect',
  severity: 'info',
  summary: 'An edge has a weight only where it decides something.',
  rationale:
    'The `weight` decides among edges whose conditions hold at the same time, and among edges without a condition. An edge whose condition holds takes precedence over every edge without one, whatever their weights. So a weight has no effect on the only edge of a node, on its only edge with a condition, on its only edge without one, and on a branch of a parallel node. If it is there for the drawing, keep it; if it should set a priority, use conditions instead.',
  provesAbsence: true,
  tag: 'unnecessary',
  *apply(graph, context) {
    const conditionalFrom = conditionalEdges(graph);
    const decisive = new Set<Attribute>();
    const idle = new Map<Attribute, Idle>();
    for (const edge of attributeOwners(graph).edgesWith('weight')) {
      const weight = edge.attributes.get('weight');
      // A default for all edges says nothing about a single one.
      if (weight?.origin !== 'explicit') continue;
      const reason = whyWithoutEffect(graph, edge, conditionalFrom, context);
      if (reason === undefined) decisive.add(weight);
      else if (!idle.has(weight)) idle.set(weight, { edge, why: reason });
    }
    for (const [weight, { edge, why: reason }] of idle) {
      if (decisive.has(weight)) continue;
      yield {
        message: `the weight of the edge from ${excerpt(edge.from)} to ${excerpt(edge.to)} has no effect: ${reason}`,
        span: weight.valueSpan,
        edge: [edge.from, edge.to],
        fix: { title: 'remove it, unless it is there for the drawing', edits: [] },
      };
    }
  },
};

interface Idle {
  readonly edge: Edge;
  readonly why: string;
}

/** Number of conditional edges from each node that has any. */
function conditionalEdges(graph: Graph): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const edge of attributeOwners(graph).edgesWith('condition')) {
    if (isConditional(edge)) counts.set(edge.from, (counts.get(edge.from) ?? 0) + 1);
  }
  return counts;
}

function isConditional(edge: Edge): boolean {
  return edgeAttribute(edge, 'condition').trim() !== '';
}

function whyWithoutEffect(
  graph: Graph,
  edge: Edge,
  conditionalFrom: ReadonlyMap<string, number>,
  { handlerTypes }: LintContext,
): string | undefined {
  const node = graph.nodes.get(edge.from);
  if (node === undefined) return undefined;
  if (handlerTypeOf(graph, node, handlerTypes).forks) return 'the parallel node runs all of its edges';
  const edges = outgoingEdges(graph, edge.from);
  if (edges.length === 1) return 'no other edge leaves the node';
  const conditional = conditionalFrom.get(edge.from) ?? 0;
  const alike = isConditional(edge) ? conditional : edges.length - conditional;
  if (alike > 1) return undefined;
  return isConditional(edge)
    ? 'no other edge has a condition, and an edge with a condition takes precedence'
    : 'the other edges have conditions, which take precedence';
}
