import type { ConditionScope } from './evaluate-condition.js';
import { failureSteps } from './failure-steps.js';
import type { JumpTarget } from './flow/jump-targets.js';
import type { HandlerType } from './handler-types.js';
import type { ProgramEdge, ProgramNode } from './program.js';
import {
  type Preference,
  type SelectedEdge,
  selectByCondition,
  selectEdge,
  selectUnconditional,
} from './select-edge.js';
import type { StageStatus } from './stage-status.js';

/** Node that has settled, and everything that decides where control goes from there. */
export interface Settled {
  readonly node: ProgramNode;
  /** Status of the node itself; that of the outcome which routes may be inherited. */
  readonly ownStatus: StageStatus;
  readonly routed: Preference & { readonly status: StageStatus; readonly failure_category?: string };
  /** Scope of the conditions, with the outcome that routes. */
  readonly scope: ConditionScope;
  handlerOf(nodeId: string): HandlerType | undefined;
  /** First of the targets to which control may jump from here. */
  jumpTo(targets: readonly JumpTarget[]): JumpTarget | undefined;
}

/** Place to which control goes from a settled node. */
export type ChosenRoute =
  | {
      readonly kind: 'edge';
      readonly edge: ProgramEdge;
      readonly reason: SelectedEdge['reason'] | 'failure_to_conditional';
    }
  /** From a parallel node to the node at which its branches meet. */
  | { readonly kind: 'join'; readonly to: string }
  | { readonly kind: 'jump'; readonly target: JumpTarget }
  /** A node without outgoing edges: the run ends here, if the goal gates hold (SEMANTICS 22). */
  | { readonly kind: 'end' }
  /** A failure without a route, or a node of which no edge is eligible. */
  | { readonly kind: 'fail'; readonly failure: 'stage' | 'routing' };

/** Chooses the route from a settled node (§3.2 step 6, §3.3, §3.7, SEMANTICS 18–22, 80), for runs and for proofs about them. */
export function chooseRoute(settled: Settled): ChosenRoute {
  const { node, ownStatus, routed } = settled;
  if (node.parallel !== undefined && ownStatus !== 'fail') return { kind: 'join', to: node.parallel.joinId };
  return routed.status === 'fail' ? routeFailure(settled) : routeOrdinary(settled);
}

function routeOrdinary({ node, routed, scope }: Settled): ChosenRoute {
  const selected = selectEdge(node.edges, routed, scope);
  if (selected !== undefined) return { kind: 'edge', ...selected };
  if (routed.status === 'fail') return { kind: 'fail', failure: 'stage' };
  return node.edges.length === 0 ? { kind: 'end' } : { kind: 'fail', failure: 'routing' };
}

/**
 * Failure routing (§3.7, SEMANTICS 20): the first step of the node's failure ladder with a route; else the
 * run fails.
 */
function routeFailure(settled: Settled): ChosenRoute {
  const { node, ownStatus, routed, scope } = settled;
  // A fault of the pipeline itself ends the run at once, whatever routes it has (Appendix D).
  if (routed.failure_category === 'pipeline' && node.parallel === undefined)
    return { kind: 'fail', failure: 'stage' };
  for (const step of failureSteps(node, settled.handlerOf, ownStatus !== 'fail')) {
    switch (step.kind) {
      case 'condition': {
        const selected = selectByCondition(node.edges, scope);
        if (selected !== undefined) return { kind: 'edge', ...selected };
        break;
      }
      case 'jump': {
        const target = settled.jumpTo(step.targets);
        if (target !== undefined) return { kind: 'jump', target };
        break;
      }
      case 'into_conditional': {
        const selected = selectUnconditional(step.edges, routed);
        if (selected !== undefined)
          return { kind: 'edge', edge: selected.edge, reason: 'failure_to_conditional' };
        break;
      }
      case 'ordinary':
        return routeOrdinary(settled);
      case 'join':
        return { kind: 'join', to: step.to };
    }
  }
  return { kind: 'fail', failure: 'stage' };
}
