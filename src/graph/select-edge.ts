import { type ConditionScope, evaluateCondition, judgeCondition } from './evaluate-condition.js';
import { labelsMatch } from './labels.js';
import type { ProgramEdge } from './program.js';
import type { UnreadableValue } from './unreadable-value.js';

/** Preference of an outcome about the route (§5.2). */
export interface Preference {
  readonly preferred_label?: string;
  /** Node ids, the best first. */
  readonly suggested_next_ids?: readonly string[];
}

export interface SelectedEdge {
  readonly edge: ProgramEdge;
  readonly reason: 'condition' | 'preferred_label' | 'suggested_next_ids' | 'weight';
}

/**
 * Edge selection (§3.3, SEMANTICS 18–19). A true condition goes first; without one only unconditional edges
 * remain, and the outcome's label, then its suggestions, then the weights decide among them. An edge whose
 * condition is false is never taken; undefined if none is eligible.
 */
export function selectEdge(
  edges: readonly ProgramEdge[],
  outcome: Preference,
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
  const edge = firstOf(matching);
  return edge && { edge, reason: 'condition' };
}

/**
 * Value that makes step 1 undecidable: an edge that would be taken if its condition held depends on it
 * (SEMANTICS 110). Undefined if step 1 can be decided.
 */
export function unreadableChoice(
  edges: readonly ProgramEdge[],
  scope: ConditionScope,
): UnreadableValue | undefined {
  let unreadable: { readonly edge: ProgramEdge; readonly value: UnreadableValue } | undefined;
  for (const edge of edges) {
    const result = edge.condition === undefined ? false : judgeCondition(edge.condition, scope);
    if (typeof result === 'boolean') continue;
    if (unreadable === undefined || precedence(edge, unreadable.edge) < 0)
      unreadable = { edge, value: result };
  }
  if (unreadable === undefined) return undefined;
  const selected = selectByCondition(edges, scope)?.edge;
  return selected !== undefined && precedence(selected, unreadable.edge) < 0 ? undefined : unreadable.value;
}

/** Steps 2 to 5 among edges without a condition: preferred label, suggested ids in their order, weight, target id. */
export function selectUnconditional(
  edges: readonly ProgramEdge[],
  outcome: Preference,
): SelectedEdge | undefined {
  const label = outcome.preferred_label ?? '';
  const labelled = label === '' ? undefined : edges.find((edge) => labelsMatch(edge.label, label));
  if (labelled !== undefined) return { edge: labelled, reason: 'preferred_label' };
  for (const id of outcome.suggested_next_ids ?? []) {
    const suggested = edges.find((edge) => edge.to === id);
    if (suggested !== undefined) return { edge: suggested, reason: 'suggested_next_ids' };
  }
  const edge = firstOf(edges);
  return edge && { edge, reason: 'weight' };
}

function firstOf(edges: readonly ProgramEdge[]): ProgramEdge | undefined {
  let best: ProgramEdge | undefined;
  for (const edge of edges) {
    if (best === undefined || precedence(edge, best) < 0) best = edge;
  }
  return best;
}

/**
 * Order of two edges that could both be taken: the one of higher weight first, then the one with the
 * smaller target id by code units, then the one declared first. Negative if it is `one`.
 */
export function precedence(one: ProgramEdge, other: ProgramEdge): number {
  if (one.weight !== other.weight) return one.weight > other.weight ? -1 : 1;
  if (one.to !== other.to) return one.to < other.to ? -1 : 1;
  return one.index - other.index;
}
