import { type ChosenRoute, chooseRoute } from '../graph/choose-route.js';
import { explainCondition } from '../graph/evaluate-condition.js';
import type { JumpTarget } from '../graph/flow/jump-targets.js';
import type { ProgramEdge, ProgramNode } from '../graph/program.js';
import { conditionScope } from './context.js';
import { whyNoJump } from './enclosing.js';
import type { RoutingReason } from './event.js';
import { firstValidTarget, type JumpChoice } from './goal-gates.js';
import { type Outcome, reasonOf } from './outcome.js';
import { repeatedFailure } from './repeated-failure.js';
import type { Cursor } from './state.js';
import type { Transition } from './transition.js';

/** Route from a settled node. */
export type Route =
  | { readonly kind: 'edge'; readonly edge: ProgramEdge; readonly reason: RoutingReason }
  /** From a parallel node to the node at which its branches meet. */
  | { readonly kind: 'join'; readonly to: string }
  | { readonly kind: 'jump'; readonly to: string; readonly reason: 'retry_target' | 'fallback_retry_target' }
  /** A node without outgoing edges: the run ends here, if the goal gates hold (SEMANTICS 22). */
  | { readonly kind: 'end' }
  | { readonly kind: 'fail'; readonly failure: 'stage' | 'routing'; readonly reason: string };

/** Chooses the route from a settled cursor (§3.2 step 6), and says why a run that has none fails. */
export function routeFrom(transition: Transition, cursor: Cursor, node: ProgramNode): Route {
  const own = cursor.outcome;
  const routed = cursor.routedOutcome ?? own;
  if (own === undefined || routed === undefined) throw new Error(`"${node.id}" has not settled`);
  let refused = '';
  const route = chooseRoute({
    node,
    ownStatus: own.status,
    routed,
    scope: conditionScope(cursor, routed),
    handlerOf: (id) => transition.program.nodes.get(id)?.handler,
    jumpTo: (targets) => {
      const tried = jumpFrom(transition, cursor, node, targets);
      refused = tried.refused;
      return tried.target;
    },
  });
  return reported(route, cursor, node, routed, refused);
}

function reported(
  route: ChosenRoute,
  cursor: Cursor,
  node: ProgramNode,
  routed: Outcome,
  refused: string,
): Route {
  switch (route.kind) {
    case 'jump':
      return { kind: 'jump', to: route.target.nodeId, reason: route.target.attribute };
    case 'fail': {
      const reason = route.failure === 'stage' ? reasonOf(routed) + refused : whyStuck(cursor, node, routed);
      return { ...route, reason };
    }
    default:
      return route;
  }
}

function whyStuck(cursor: Cursor, { id, edges }: ProgramNode, routed: Outcome): string {
  const scope = conditionScope(cursor, routed);
  const seen = edges.map(
    ({ to, condition, conditionText }) =>
      `to "${to}": ${condition ? explainCondition(condition, scope) : conditionText}`,
  );
  return `no eligible edge leaves "${id}": none of its conditions holds (${seen.join('; ')})`;
}

interface Jump {
  readonly target: JumpTarget | undefined;
  /** Note that a branch cannot make its jump, to append to the reason of the failure. */
  readonly refused: string;
}

/** Jump to the node's retry targets, unless going back would only meet the same failure again. */
function jumpFrom(
  transition: Transition,
  cursor: Cursor,
  node: ProgramNode,
  targets: readonly JumpTarget[],
): Jump {
  const { program, state } = transition;
  const whyNot = (nodeId: string): string | undefined => whyNoJump(transition, cursor, nodeId);
  const choice: JumpChoice = firstValidTarget(program, node.id, targets, whyNot);
  for (const message of choice.skipped) transition.log('warning', message, node.id);
  const refused = choice.refused === undefined ? '' : `; ${choice.refused}`;
  const { target } = choice;
  if (target === undefined) return { target, refused };
  const repeated = repeatedFailure(state, cursor.routedFrom ?? node.id, cursor.id);
  if (repeated === undefined) return { target, refused };
  transition.log('warning', repeated, node.id);
  return { target: undefined, refused };
}
