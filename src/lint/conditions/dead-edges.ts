import { failureSteps } from '../../graph/failure-steps.js';
import type { HandlerType } from '../../graph/handler-types.js';
import { labelsMatch } from '../../graph/labels.js';
import type { ProgramEdge } from '../../graph/program.js';
import { stageStatuses } from '../../graph/stage-status.js';
import type { ConditionSet } from './condition-set.js';
import { allOf, type Formula, negated } from './formula.js';
import { isNever } from './is-never.js';
import { possibleOutcomes } from './stage-outcomes.js';
import type { StageWays } from './stage-ways.js';

/** An edge that no run takes, and why. */
export interface DeadEdge {
  readonly edge: ProgramEdge;
  readonly why: /** Its condition never holds. */
    | { readonly kind: 'never_holds' }
    /** It waits for an outcome that a stage of this kind does not come to. */
    | { readonly kind: 'no_such_outcome'; readonly outcomes: readonly string[] }
    /** It waits for RETRY, which no stage comes to. */
    | { readonly kind: 'waits_for_retry' }
    /** Whenever its condition holds, one that goes before it holds too. */
    | { readonly kind: 'covered'; readonly by: readonly ProgramEdge[] }
    /** One of the conditions of the other edges always holds. */
    | { readonly kind: 'conditions_exhaustive' }
    /** One of them holds after everything but a failure, which does not take a plain edge (SEMANTICS 20). */
    | { readonly kind: 'left_for_failure' };
}

/**
 * The edges of a node that are never taken, whatever the outcome and the context are (§3.3, SEMANTICS 18–20, 80). Follows
 * the engine's order: conditions first, by their precedence; a failure comes to a plain edge by its ladder only.
 * @param handlerOf for the targets of edges
 */
export function deadEdges(
  ways: StageWays,
  handlerOf: (nodeId: string) => HandlerType | undefined,
): readonly DeadEdge[] {
  const { conditions, conditional, plain } = ways;
  if (conditions === undefined) return [];
  const outcomes = possibleOutcomes(ways);
  const found: DeadEdge[] = [];
  for (const [index, edge] of conditional.entries()) {
    const why = whyConditionalDead(conditions, conditional, index, outcomes);
    if (why !== undefined) found.push({ edge, why });
  }
  if (plain.length === 0) return found;
  const nothingHolds = allOf(conditions.formulas.map(negated));
  if (isNever(conditions, nothingHolds, without(outcomes, 'fail'))) {
    const isCaught = isNever(conditions, nothingHolds, new Set(['fail']));
    for (const edge of plain) {
      if (isCaught) found.push({ edge, why: { kind: 'conditions_exhaustive' } });
      else if (!mayFollowFailure(ways, edge, handlerOf))
        found.push({ edge, why: { kind: 'left_for_failure' } });
    }
  }
  return found;
}

function whyConditionalDead(
  set: ConditionSet,
  conditional: readonly ProgramEdge[],
  index: number,
  outcomes: ReadonlySet<string>,
): DeadEdge['why'] | undefined {
  const formula = set.formulas[index];
  if (formula === undefined) return undefined;
  if (isNever(set, formula, outcomes)) {
    if (!isNever(set, formula, new Set(['retry']))) return { kind: 'waits_for_retry' };
    if (isNever(set, formula, new Set<string>(stageStatuses))) return { kind: 'never_holds' };
    return { kind: 'no_such_outcome', outcomes: [...outcomes] };
  }
  const before = set.formulas.slice(0, index);
  const rest = (covering: readonly Formula[]): Formula => allOf([formula, ...covering.map(negated)]);
  if (before.length === 0 || !isNever(set, rest(before), outcomes)) return undefined;
  const alone = before.findIndex((other) => isNever(set, rest([other]), outcomes));
  if (alone !== -1) return { kind: 'covered', by: conditional.slice(alone, alone + 1) };
  const touches = (other: Formula): boolean => !isNever(set, allOf([formula, other]), outcomes);
  return {
    kind: 'covered',
    by: conditional.filter((_, at) => before[at] !== undefined && touches(before[at])),
  };
}

function without(outcomes: ReadonlySet<string>, excluded: string): ReadonlySet<string> {
  return new Set([...outcomes].filter((outcome) => outcome !== excluded));
}

/** Whether a step of the failure ladder leads along a plain edge. */
function mayFollowFailure(
  { node }: StageWays,
  edge: ProgramEdge,
  handlerOf: (nodeId: string) => HandlerType | undefined,
): boolean {
  return [true, false].some((isInherited) =>
    failureSteps(node, handlerOf, isInherited).some(
      (step) => step.kind === 'ordinary' || (step.kind === 'into_conditional' && step.edges.includes(edge)),
    ),
  );
}

/** Whether two edges are one written twice, of which another rule speaks. */
export function areTwins(one: ProgramEdge, other: ProgramEdge): boolean {
  if (one.to !== other.to || one.conditionText !== other.conditionText) return false;
  return one.label === other.label || labelsMatch(one.label, other.label);
}
