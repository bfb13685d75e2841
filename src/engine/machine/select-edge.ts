import { labelsMatch } from '../../graph/labels.js';
import type { ProgramEdge } from '../../graph/program.js';
import { type ConditionScope, evaluateCondition } from './evaluate-condition.js';
import type { RoutingReason } from './event.js';
import type { Outcome } from './outcome.js';

export interface SelectedEdge {
  readonly edge: ProgramEdge;
  readonly reason: Extract<RoutingReason, 'condition' | 'preferred_label' | 'suggested_next_ids' | 'weight'>;
}

/**
 * Edge selection (§3.3, SEMANTICS 18–19). A true condition goes first; without one only unconditional edges are left, and
 * the outcome's label, then its suggestions, then the weights decide among them. An edge whose condition is false is
 * never taken; undefined where none is eligible.
 */
export function selectEdge(
  edges: readonly ProgramEdge[],
  outcome: Outcome,
  scope: ConditionScope,
): SelectedEdge | undefined {
  const conditional = selectByCondition(edges, scope);
  if (conditional !== undefined) return conditional;
  return selectUnconditional(
    edges.filter((edge) => edge.condition === undefined),
    outcome,
  );
}

/** Step 1: the best of the edges whose condition holds; weight decides, then the target id. */
export function selectByCondition(
  edges: readonly ProgramEdge[],
  scope: ConditionScope,
): SelectedEdge | undefined {
  const matching = edges.filter(
    (edge) => edge.condition !== undefined && evaluateCondition(edge.condition, scope),
  );
  const edge = heaviest(matching);
  return edge && { edge, reason: 'condition' };
}

/** Steps 2 to 5 among edges without a condition: preferred label, suggested ids in their order, weight, target id. */
export function selectUnconditional(
  edges: readonly ProgramEdge[],
  outcome: Outcome,
): SelectedEdge | undefined {
  const label = outcome.preferred_label ?? '';
  const labelled = label === '' ? undefined : edges.find((edge) => labelsMatch(edge.label, label));
  if (labelled !== undefined) return { edge: labelled, reason: 'preferred_label' };
  for (const id of outcome.suggested_next_ids ?? []) {
    const suggested = edges.find((edge) => edge.to === id);
    if (suggested !== undefined) return { edge: suggested, reason: 'suggested_next_ids' };
  }
  const edge = heaviest(edges);
  return edge && { edge, reason: 'weight' };
}

/** The highest weight, then the smallest target id by code units, then the first one declared. */
function heaviest(edges: readonly ProgramEdge[]): ProgramEdge | undefined {
  let best: ProgramEdge | undefined;
  for (const edge of edges) {
    if (
      best === undefined ||
      edge.weight > best.weight ||
      (edge.weight === best.weight && edge.to < best.to)
    ) {
      best = edge;
    }
  }
  return best;
}
