import type { JumpTarget } from './flow/jump-targets.js';
import type { HandlerType } from './handler-types.js';
import type { ProgramEdge, ProgramNode } from './program.js';

/** One step to be tried when a stage has failed. */
export type FailureStep =
  /** An edge whose condition holds. */
  | { readonly kind: 'condition' }
  /** The first of the retry targets that control may jump to. */
  | { readonly kind: 'jump'; readonly targets: readonly JumpTarget[] }
  /** A plain edge into a diamond, which may route on the failure. */
  | { readonly kind: 'into_conditional'; readonly edges: readonly ProgramEdge[] }
  /** Ordinary edge selection, as after a success. */
  | { readonly kind: 'ordinary' }
  /** The join of a parallel node. */
  | { readonly kind: 'join'; readonly to: string };

/**
 * Failure ladder of a node (§3.7, SEMANTICS 20, 20a, 80): the steps to be tried in this order when the
 * outcome that routes is FAIL. If none of them leads on, the run fails with the reason of the stage.
 * @param isInherited true if a node that routes on the outcome before it does so now, and has not failed
 * itself
 */
export function failureSteps(
  node: ProgramNode,
  handlerOf: (nodeId: string) => HandlerType | undefined,
  isInherited: boolean,
): readonly FailureStep[] {
  const jump = { kind: 'jump', targets: node.jumpTargets } as const;
  if (node.parallel !== undefined) {
    return node.continuesOnFailure ? [jump, { kind: 'join', to: node.parallel.joinId }] : [jump];
  }
  if (isInherited && hasExplicitElse(node)) return [{ kind: 'ordinary' }];
  if (!node.handler.failureReachesConditional) return [{ kind: 'condition' }, jump];
  const edges = node.edges.filter(
    ({ condition, to }) => condition === undefined && handlerOf(to)?.inheritsOutcome === true,
  );
  return [
    { kind: 'condition' },
    jump,
    { kind: 'into_conditional', edges },
    ...(node.continuesOnFailure ? [{ kind: 'ordinary' } as const] : []),
  ];
}

/**
 * True for a diamond that tests conditions and has a plain edge, which is its explicit else (SEMANTICS 80).
 */
function hasExplicitElse({ handler, edges }: ProgramNode): boolean {
  if (!handler.inheritsOutcome) return false;
  const isConditional = (edge: ProgramEdge): boolean => edge.condition !== undefined;
  return edges.some(isConditional) && !edges.every(isConditional);
}
