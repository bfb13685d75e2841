import { excerpt } from '../../../diagnostic/excerpt.js';
import type { Graph } from '../../../graph/graph.js';
import type { ProgramEdge } from '../../../graph/program.js';
import { areTwins, type DeadEdge } from '../../conditions/dead-edges.js';
import { type DeadEdgeOfNode, deadEdgesOf } from '../../conditions/never-taken.js';
import { spanOfEdge } from '../../conditions/stage-edges.js';
import { listNames } from '../../list-names.js';
import type { Finding, LintRule } from '../../rule.js';

/** §3.3, SEMANTICS 18–20: an edge that a run takes for no outcome and no context. */
export const deadEdge: LintRule = {
  name: 'dead_edge',
  severity: 'warning',
  summary: 'Every edge can be taken.',
  rationale:
    'An edge that is never taken is a path that the author expects but the run does not have. Its condition may never hold, for example because it requires two values at once or `outcome=retry`: a stage that requests a retry gets one, and ends as `fail`, or with `allow_partial=true` as `partial_success`. Or another edge takes precedence, by weight or name, whenever the condition holds. An edge without a condition is taken only if no condition holds, and never after a failure, unless it leads into a diamond or `on_failure=continue` is set: for a failure, write `condition="outcome=fail"`. Correct the condition or the weight, or remove the edge.',
  tag: 'unnecessary',
  *apply(graph, { handlerTypes }) {
    for (const dead of deadEdgesOf(graph, handlerTypes)) {
      if (!isHarmless(dead)) yield finding(graph, dead);
    }
  },
};

/**
 * True for an edge written twice, which another rule reports, and for a default with the same target as a
 * condition, which changes nothing.
 */
function isHarmless({ edge, why: cause, conditional }: DeadEdgeOfNode): boolean {
  if (cause.kind === 'covered') return cause.by.some((other) => areTwins(other, edge));
  return cause.kind === 'conditions_exhaustive' && conditional.some(({ to }) => to === edge.to);
}

const maximumRelated = 3;

function finding(graph: Graph, { edge, why: cause }: DeadEdge): Finding {
  const covering = cause.kind === 'covered' ? cause.by.slice(0, maximumRelated) : [];
  return {
    message: `the edge from ${excerpt(edge.from)} to ${excerpt(edge.to)} is never taken: ${reason(edge, cause)}`,
    span: spanOfEdge(graph, edge),
    edge: [edge.from, edge.to],
    related: covering.map((other) => ({
      span: spanOfEdge(graph, other),
      message: 'an edge that takes precedence',
    })),
    fix: { title: remedy(cause), edits: [] },
  };
}

function reason(edge: ProgramEdge, cause: DeadEdge['why']): string {
  switch (cause.kind) {
    case 'never_holds':
      return 'its condition never holds';
    case 'no_such_outcome':
      return `a node of this kind only ends as ${cause.outcomes.map((word) => `\`${word}\``).join(' or ')}`;
    case 'waits_for_retry':
      return 'no stage ends as `retry`: after its last retry it ends as `fail` or `partial_success`';
    case 'covered':
      return `whenever its condition holds, ${coveredBy(edge, cause.by)}`;
    case 'conditions_exhaustive':
      return 'one of the conditions of the other edges always holds';
    case 'left_for_failure':
      return 'the conditions of the other edges leave only failures, which never take an edge without a condition';
  }
}

function coveredBy(edge: ProgramEdge, by: readonly ProgramEdge[]): string {
  const [only, second] = by;
  if (only === undefined || second !== undefined) {
    const targets = [...new Set(by.map(({ to }) => to))];
    return `an edge with precedence is taken, to ${listNames(targets)}`;
  }
  const because =
    only.weight > edge.weight
      ? 'by its greater weight'
      : only.to < edge.to
        ? 'because its name comes first'
        : 'because it is written first';
  return `the edge to ${excerpt(only.to)} is taken, ${because}`;
}

function remedy(cause: DeadEdge['why']): string {
  switch (cause.kind) {
    case 'never_holds':
    case 'no_such_outcome':
      return 'correct the condition, or remove the edge';
    case 'waits_for_retry':
      return 'test `outcome=fail`, or remove the edge';
    case 'covered':
      return 'give it a greater `weight`, or correct one of the conditions';
    case 'conditions_exhaustive':
      return 'remove the edge, or correct the conditions';
    case 'left_for_failure':
      return 'add `condition="outcome=fail"` if it is meant for a failure';
  }
}
