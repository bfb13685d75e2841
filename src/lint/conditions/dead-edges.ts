import { failureSteps } from '../../graph/failure-steps.js';
import type { HandlerType } from '../../graph/handler-types.js';
import { labelsMatch } from '../../graph/labels.js';
import type { ProgramEdge } from '../../graph/program.js';
import { stageStatuses } from '../../graph/stage-status.js';
import type { ConditionSet } from './condition-set.js';
import { allOf, type Formula, negated } from './formula.js';
import { isNever } from './is-never.js';
import { remembered } from './remembered.js';
import type { StageEdges } from './stage-edges.js';
import { possibleOutcomes } from './stage-outcomes.js';

/** Edge that no run takes, with the reason. */
export interface DeadEdge {
  readonly edge: ProgramEdge;
  readonly why: /** Its condition never holds. */
    | { readonly kind: 'never_holds' }
    /** It requires an outcome that a stage of this kind does not have. */
    | { readonly kind: 'no_such_outcome'; readonly outcomes: readonly string[] }
    /** It requires RETRY, which is never a final outcome. */
    | { readonly kind: 'waits_for_retry' }
    /** Whenever its condition holds, that of a preceding edge holds too. */
    | { readonly kind: 'covered'; readonly by: readonly ProgramEdge[] }
    /** One of the conditions of the other edges always holds. */
    | { readonly kind: 'conditions_exhaustive' }
    /** One of them holds after everything but a failure, which does not take a plain edge (SEMANTICS 20). */
    | { readonly kind: 'left_for_failure' };
}

/**
 * Edges of a node that are never taken, whatever the outcome and the context are (§3.3, SEMANTICS 18–20,
 * 80). Follows the engine's order: conditions first, by their precedence; a failure reaches a plain edge by
 * its ladder only.
 * @param handlerOf handler of an edge's target
 */
export function deadEdges(
  stage: StageEdges,
  handlerOf: (nodeId: string) => HandlerType | undefined,
): readonly DeadEdge[] {
  const { conditions, conditional, plain: unconditional } = stage;
  if (conditions === undefined) return [];
  const { dead, nothingHolds } = verdictOn(conditions, possibleOutcomes(stage));
  const result: DeadEdge[] = [];
  for (const [index, cause] of dead) {
    const edge = conditional[index];
    if (edge !== undefined) result.push({ edge, why: withEdges(cause, conditional) });
  }
  if (unconditional.length === 0 || nothingHolds === 'after_any') return result;
  if (nothingHolds === 'never') {
    for (const edge of unconditional) result.push({ edge, why: { kind: 'conditions_exhaustive' } });
    return result;
  }
  const afterFailure = plainAfterFailure(stage, handlerOf);
  for (const edge of unconditional) {
    if (!afterFailure.has(edge)) result.push({ edge, why: { kind: 'left_for_failure' } });
  }
  return result;
}

/** Judgement of conditions alone, independent of their edges. */
interface Verdict {
  /** Dead conditions by their index; a covered one with the indices of those that cover it. */
  readonly dead: ReadonlyMap<number, WhyDead>;
  /** Outcomes after which perhaps no condition holds. */
  readonly nothingHolds: 'after_any' | 'after_failure' | 'never';
}

type WhyDead =
  | Extract<DeadEdge['why'], { kind: 'never_holds' | 'no_such_outcome' | 'waits_for_retry' }>
  | { readonly kind: 'covered'; readonly by: readonly number[] };

const verdictOn = remembered((set, outcomes): Verdict => {
  const dead = new Map<number, WhyDead>();
  for (const index of set.formulas.keys()) {
    const cause = whyDead(set, index, outcomes);
    if (cause !== undefined) dead.set(index, cause);
  }
  const noneHolds = allOf(set.formulas.map(negated));
  if (!isNever(set, noneHolds, without(outcomes, 'fail'))) return { dead, nothingHolds: 'after_any' };
  return { dead, nothingHolds: isNever(set, noneHolds, new Set(['fail'])) ? 'never' : 'after_failure' };
});

function withEdges(cause: WhyDead, conditional: readonly ProgramEdge[]): DeadEdge['why'] {
  if (cause.kind !== 'covered') return cause;
  return { kind: 'covered', by: cause.by.flatMap((index) => conditional[index] ?? []) };
}

function whyDead(set: ConditionSet, index: number, outcomes: ReadonlySet<string>): WhyDead | undefined {
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
  if (alone !== -1) return { kind: 'covered', by: [alone] };
  const touches = (other: Formula): boolean => !isNever(set, allOf([formula, other]), outcomes);
  return {
    kind: 'covered',
    by: [...before.keys()].filter((candidate) => before[candidate] && touches(before[candidate])),
  };
}

function without(outcomes: ReadonlySet<string>, excluded: string): ReadonlySet<string> {
  return new Set([...outcomes].filter((outcome) => outcome !== excluded));
}

/** Plain edges along which a step of the failure ladder leads. */
function plainAfterFailure(
  { node, plain: unconditional }: StageEdges,
  handlerOf: (nodeId: string) => HandlerType | undefined,
): ReadonlySet<ProgramEdge> {
  const steps = [true, false].flatMap((isInherited) => failureSteps(node, handlerOf, isInherited));
  return new Set(
    steps.flatMap((step) => {
      if (step.kind === 'ordinary') return unconditional;
      return step.kind === 'into_conditional' ? step.edges : [];
    }),
  );
}

/** True if two edges are one written twice, which another rule reports. */
export function areTwins(one: ProgramEdge, other: ProgramEdge): boolean {
  if (one.to !== other.to || one.conditionText !== other.conditionText) return false;
  return one.label === other.label || labelsMatch(one.label, other.label);
}
