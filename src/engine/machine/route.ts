import type { ProgramEdge, ProgramNode } from '../../graph/program.js';
import { conditionScope } from './context.js';
import { whyNoJump } from './enclosing.js';
import { explainCondition } from './evaluate-condition.js';
import type { RoutingReason } from './event.js';
import { firstValidTarget, type JumpChoice } from './goal-gates.js';
import { type Outcome, reasonOf } from './outcome.js';
import { repeatedFailure } from './repeated-failure.js';
import { type SelectedEdge, selectByCondition, selectEdge, selectUnconditional } from './select-edge.js';
import type { Cursor } from './state.js';
import type { Transition } from './transition.js';

/** Where control goes after a node has settled. */
export type Route =
  | { readonly kind: 'edge'; readonly edge: ProgramEdge; readonly reason: RoutingReason }
  /** From a parallel node to where its branches meet. */
  | { readonly kind: 'join'; readonly to: string }
  | { readonly kind: 'jump'; readonly to: string; readonly reason: 'retry_target' | 'fallback_retry_target' }
  /** A node without outgoing edges: the run ends here, if the goal gates hold (SEMANTICS 22). */
  | { readonly kind: 'end' }
  | { readonly kind: 'fail'; readonly failure: 'stage' | 'routing'; readonly reason: string };

/** Chooses the way on from a settled cursor (§3.2 step 6, §3.3, §3.7, SEMANTICS 18–22, 80). */
export function routeFrom(transition: Transition, cursor: Cursor, node: ProgramNode): Route {
  const own = cursor.outcome;
  const routed = cursor.routedOutcome ?? own;
  if (own === undefined || routed === undefined) throw new Error(`"${node.id}" has not settled`);
  if (node.parallel !== undefined) return routeParallel(transition, cursor, node, node.parallel.joinId, own);
  if (routed.status === 'fail' && !hasExplicitElse(node, own)) {
    return routeFailure(transition, cursor, node, routed);
  }
  return routeOrdinary(cursor, node, routed);
}

/** A diamond that tests conditions says with a plain edge what is to happen otherwise (SEMANTICS 80). */
function hasExplicitElse(node: ProgramNode, own: Outcome): boolean {
  if (!node.handler.inheritsOutcome || own.status === 'fail') return false;
  const isConditional = (edge: ProgramEdge): boolean => edge.condition !== undefined;
  return node.edges.some(isConditional) && !node.edges.every(isConditional);
}

/** The edges of a parallel node are its branches, so none of them is a way on (SEMANTICS 44j, 48). */
function routeParallel(
  transition: Transition,
  cursor: Cursor,
  node: ProgramNode,
  joinId: string,
  outcome: Outcome,
): Route {
  if (outcome.status !== 'fail') return { kind: 'join', to: joinId };
  const { jump, refused } = jumpRoute(transition, cursor, node);
  if (jump !== undefined) return jump;
  if (node.continuesOnFailure) return { kind: 'join', to: joinId };
  return { kind: 'fail', failure: 'stage', reason: reasonOf(outcome) + refused };
}

function routeOrdinary(cursor: Cursor, node: ProgramNode, outcome: Outcome): Route {
  const scope = conditionScope(cursor.context, outcome);
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
 * Failure routing (§3.7, SEMANTICS 20): a matching condition, the node's retry targets, a plain edge into a diamond that
 * may route on the failure, and under `on_failure=continue` ordinary selection; else the run fails with the reason.
 */
function routeFailure(transition: Transition, cursor: Cursor, node: ProgramNode, outcome: Outcome): Route {
  // A fault of the pipeline itself ends the run at once, whatever routes it offers (Appendix D).
  if (outcome.failure_category === 'pipeline')
    return { kind: 'fail', failure: 'stage', reason: reasonOf(outcome) };
  const scope = conditionScope(cursor.context, outcome);
  const conditional = selectByCondition(node.edges, scope);
  if (conditional !== undefined) return alongEdge(conditional);
  const { jump, refused } = jumpRoute(transition, cursor, node);
  if (jump !== undefined) return jump;
  if (node.handler.failureReachesConditional) {
    const selected = selectUnconditional(edgesIntoConditionals(transition, node), outcome);
    if (selected !== undefined)
      return { kind: 'edge', edge: selected.edge, reason: 'failure_to_conditional' };
    if (node.continuesOnFailure) return routeOrdinary(cursor, node, outcome);
  }
  return { kind: 'fail', failure: 'stage', reason: reasonOf(outcome) + refused };
}

interface Jump {
  readonly jump?: Route;
  /** Of a branch: that it cannot jump where it is told to, to be said behind the reason of the failure. */
  readonly refused: string;
}

/** The node's retry targets, unless going back would only meet the same failure again. */
function jumpRoute(transition: Transition, cursor: Cursor, node: ProgramNode): Jump {
  const { program, state } = transition;
  const whyNot = (nodeId: string): string | undefined => whyNoJump(transition, cursor, nodeId);
  const choice: JumpChoice = firstValidTarget(program, node.id, node.jumpTargets, whyNot);
  for (const message of choice.skipped) transition.log('warning', message, node.id);
  const refused = choice.refused === undefined ? '' : `; ${choice.refused}`;
  const { target } = choice;
  if (target === undefined) return { refused };
  const repeated = repeatedFailure(state, cursor.routedFrom ?? node.id);
  if (repeated === undefined) {
    return { jump: { kind: 'jump', to: target.nodeId, reason: target.attribute }, refused };
  }
  transition.log('warning', repeated, node.id);
  return { refused };
}

function edgesIntoConditionals(transition: Transition, node: ProgramNode): readonly ProgramEdge[] {
  return node.edges.filter(
    (edge) =>
      edge.condition === undefined && transition.program.nodes.get(edge.to)?.handler.inheritsOutcome === true,
  );
}

function alongEdge(selected: SelectedEdge): Route {
  return { kind: 'edge', edge: selected.edge, reason: selected.reason };
}
