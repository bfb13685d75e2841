import type { FailureKind } from './event.js';
import { firstValidTarget, unsatisfiedGate } from './goal-gates.js';
import { limitReached } from './limits.js';
import { reasonOf } from './outcome.js';
import { type Route, routeFrom } from './route.js';
import { execute, nodeOf, stageFields } from './stage.js';
import type { Cursor } from './state.js';
import type { Transition } from './transition.js';

/** Enters the node that a cursor has arrived at, unless the run ends there. */
export function arrive(transition: Transition, cursorId: string): void {
  const { program } = transition;
  const cursor = transition.cursor(cursorId);
  const node = nodeOf(transition, cursor);
  if (node.id === program.exitId && !gatesHold(transition, cursor)) return;
  const limit = limitReached(program, transition.state, cursor, node);
  if (limit !== undefined) return fail(transition, 'limit', limit, node.id);
  transition.emit({
    type: 'StageStarted',
    ...stageFields(node, {
      index: transition.state.nextIndex,
      attempt: 1,
      visit: (transition.state.visits.get(node.id) ?? 0) + 1,
    }),
    ...transition.branchOf(cursorId),
  });
  execute(transition, cursorId);
}

/** Goes on from a settled node. */
export function leave(transition: Transition, cursorId: string): void {
  const cursor = transition.cursor(cursorId);
  const node = nodeOf(transition, cursor);
  if (node.id === transition.program.exitId) return leaveExit(transition, cursor);
  const route = routeFrom(transition, cursor, node);
  switch (route.kind) {
    case 'fail':
      return failRoute(transition, cursor, route);
    case 'end':
      if (gatesHold(transition, cursor)) complete(transition);
      return;
    case 'jump':
      transition.emit({
        type: 'EdgeSelected',
        from: node.id,
        to: route.to,
        reason: route.reason,
        ...transition.branchOf(cursorId),
      });
      return arrive(transition, cursorId);
    case 'edge':
      transition.emit({
        type: 'EdgeSelected',
        from: node.id,
        to: route.edge.to,
        reason: route.reason,
        edge: route.edge.index,
        ...(route.edge.label !== '' && { label: route.edge.label }),
        ...(route.edge.conditionText !== '' && { condition: route.edge.conditionText }),
        ...transition.branchOf(cursorId),
      });
      return arrive(transition, cursorId);
  }
}

/** Whether every goal gate holds; if not, jumps back or fails (§3.4, SEMANTICS 33, 34). */
function gatesHold(transition: Transition, cursor: Cursor): boolean {
  const { program, state } = transition;
  const gate = unsatisfiedGate(program, state);
  if (gate === undefined) return true;
  const outcome = state.outcomes.get(gate.id);
  const why =
    outcome === undefined
      ? `goal gate "${gate.id}" was never visited`
      : `goal gate "${gate.id}" is not satisfied (its latest outcome is ${outcome.status}${outcome.failure_reason ? `: ${outcome.failure_reason}` : ''})`;
  const { target, skipped } = firstValidTarget(program, gate.id, [
    ...gate.jumpTargets,
    ...program.goalGateTargets,
  ]);
  for (const message of skipped) transition.log('warning', message, gate.id);
  const limit = program.limits.maxGoalGateRedirects;
  if (target === undefined) {
    fail(transition, 'goal_gate', `${why}, and no retry_target says where to go back to`, gate.id);
  } else if (state.goalGateRedirects >= limit) {
    const message = `${why}, and the run was already sent back ${limit} times, the limit that \`max_goal_gate_redirects\` sets (last to "${target.nodeId}"); raise that graph attribute if this is intended`;
    fail(transition, 'limit', message, gate.id);
  } else {
    transition.emit({
      type: 'EdgeSelected',
      from: cursor.nodeId,
      to: target.nodeId,
      reason: 'goal_gate',
      gate: gate.id,
      ...transition.branchOf(cursor.id),
    });
    arrive(transition, cursor.id);
  }
  return false;
}

/**
 * A diamond only passes on what happened before it. The failure that it inherits belongs to the stage that failed, and
 * that stage is what another try must run again (SEMANTICS 21, 66b).
 */
function failRoute(transition: Transition, cursor: Cursor, route: Extract<Route, { kind: 'fail' }>): void {
  const { nodeId } = cursor;
  const source = cursor.routedFrom ?? nodeId;
  const failedNode = route.failure === 'stage' ? source : nodeId;
  fail(transition, route.failure, route.reason, failedNode, source);
}

function leaveExit(transition: Transition, cursor: Cursor): void {
  const outcome = cursor.outcome;
  if (outcome?.status === 'fail') fail(transition, 'stage', reasonOf(outcome), cursor.nodeId);
  else complete(transition);
}

function complete(transition: Transition): void {
  transition.emit({ type: 'PipelineCompleted', duration: elapsed(transition), artifact_count: 0 });
}

function fail(
  transition: Transition,
  kind: FailureKind,
  error: string,
  nodeId: string,
  resumeAt = nodeId,
): void {
  transition.emit({
    type: 'PipelineFailed',
    error,
    duration: elapsed(transition),
    kind,
    node_id: nodeId,
    ...(resumeAt !== nodeId && { resume_at: resumeAt }),
  });
}

export function elapsed(transition: Transition): number {
  return transition.input.now - transition.state.startedAt;
}
