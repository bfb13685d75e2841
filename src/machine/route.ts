import { explainCondition } from '../graph/evaluate-condition.js';
import { failureSteps } from '../graph/failure-steps.js';
import type { JumpTarget } from '../graph/flow/jump-targets.js';
import type { ProgramEdge, ProgramNode } from '../graph/program.js';
import {
  type SelectedEdge,
  selectByCondition,
  selectEdge,
  selectUnconditional,
} from '../graph/select-edge.js';
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

/** Chooses the route from a settled cursor (§3.2 step 6, §3.3, §3.7, SEMANTICS 18–22, 80). */
export function routeFrom(transition: Transition, cursor: Cursor, node: ProgramNode): Route {
  const own = cursor.outcome;
  const routed = cursor.routedOutcome ?? own;
  if (own === undefined || routed === undefined) throw new Error(`"${node.id}" has not settled`);
  if (node.parallel !== undefined && own.status !== 'fail') return { kind: 'join', to: node.parallel.joinId };
  if (routed.status === 'fail') return routeFailure(transition, cursor, node, own.status !== 'fail', routed);
  return routeOrdinary(cursor, node, routed);
}

function routeOrdinary(cursor: Cursor, node: ProgramNode, outcome: Outcome): Route {
  const scope = conditionScope(cursor, outcome);
  const selected = selectEdge(node.edges, outcome, scope);
  if (selected !== undefined) return alongEdge(selected);
  if (outcome.status === 'fail') return { kind: 'fail', failure: 'stage', reason: reasonOf(outcome) };
  if (node.edges.length === 0) return { kind: 'end' };
  const seen = node.edges.map(
    (edge) =>
      `to "${edge.to}": ${edge.condition ? explainCondition(edge.condition, scope) : edge.conditionText}`,
  );
  const reason = `no eligible edge leaves "${node.id}": none of its conditions holds (${seen.join('; ')})`;
  return { kind: 'fail', failure: 'routing', reason };
}

/**
 * Failure routing (§3.7, SEMANTICS 20): the first step of the node's failure ladder with a route; else the
 * run fails with the reason.
 */
function routeFailure(
  transition: Transition,
  cursor: Cursor,
  node: ProgramNode,
  isInherited: boolean,
  outcome: Outcome,
): Route {
  const isParallel = node.parallel !== undefined;
  // A fault of the pipeline itself ends the run at once, whatever routes it has (Appendix D).
  if (outcome.failure_category === 'pipeline' && !isParallel)
    return { kind: 'fail', failure: 'stage', reason: reasonOf(outcome) };
  let refused = '';
  for (const step of failureSteps(node, (id) => transition.program.nodes.get(id)?.handler, isInherited)) {
    switch (step.kind) {
      case 'condition': {
        const selected = selectByCondition(node.edges, conditionScope(cursor, outcome));
        if (selected !== undefined) return alongEdge(selected);
        break;
      }
      case 'jump': {
        const tried = jumpRoute(transition, cursor, node, step.targets);
        if (tried.jump !== undefined) return tried.jump;
        refused = tried.refused;
        break;
      }
      case 'into_conditional': {
        const selected = selectUnconditional(step.edges, outcome);
        if (selected !== undefined)
          return { kind: 'edge', edge: selected.edge, reason: 'failure_to_conditional' };
        break;
      }
      case 'ordinary':
        return routeOrdinary(cursor, node, outcome);
      case 'join':
        return { kind: 'join', to: step.to };
    }
  }
  return { kind: 'fail', failure: 'stage', reason: reasonOf(outcome) + refused };
}

interface Jump {
  readonly jump?: Route;
  /** Note that a branch cannot make its jump, to append to the reason of the failure. */
  readonly refused: string;
}

/** Route to the node's retry targets, unless going back would only meet the same failure again. */
function jumpRoute(
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
  if (target === undefined) return { refused };
  const repeated = repeatedFailure(state, cursor.routedFrom ?? node.id, cursor.id);
  if (repeated === undefined) {
    return { jump: { kind: 'jump', to: target.nodeId, reason: target.attribute }, refused };
  }
  transition.log('warning', repeated, node.id);
  return { refused };
}

function alongEdge(selected: SelectedEdge): Route {
  return { kind: 'edge', edge: selected.edge, reason: selected.reason };
}
