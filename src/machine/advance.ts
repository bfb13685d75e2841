import type { ProgramEdge, ProgramNode } from '../graph/program.js';
import { whyNotInside } from './enclosing.js';
import { fail, runDuration } from './end.js';
import type { RoutingReason } from './event.js';
import { resumptionNode } from './failed-fork.js';
import { firstValidTarget, unsatisfiedGate } from './goal-gates.js';
import { raiseInterruption } from './interviews.js';
import { limitReached } from './limits.js';
import { reasonOf } from './outcome.js';
import { finishBranch, isBranchEnd } from './parallel.js';
import { failsByBroken, failsToBreak } from './properties/property-failure.js';
import { hopelessEntry, repeatedFailure } from './repeated-failure.js';
import { type Route, routeFrom } from './route.js';
import { carryoverFields, execute, nodeOf, stageFields } from './stage.js';
import { branchOf, type Cursor, type RunState } from './state.js';
import type { Transition } from './transition.js';

/** Enters the node that a cursor has arrived at, unless the run ends there. */
export function arrive(transition: Transition, cursorId: string): void {
  const { program } = transition;
  const cursor = transition.cursor(cursorId);
  const node = nodeOf(transition, cursor);
  if (isBranchEnd(transition, cursor)) return finishBranchAt(transition, cursor);
  if (node.parallel !== undefined && cursor.branch !== undefined) {
    const error = whyNotInside(transition, cursor);
    if (error !== undefined) return finishBranch(transition, cursorId, { status: 'fail', error });
  }
  if (node.id === program.exitId && !gatesHold(transition, cursor)) return;
  const limit = limitReached(program, transition.state, cursor, node);
  if (limit !== undefined) return fail(transition, 'limit', limit, node.id, { branch: cursorId });
  const hopeless = hopelessEntry(transition.state, node.id, cursorId);
  if (hopeless !== undefined) return giveUp(transition, cursor, hopeless);
  if (failsToBreak(transition, cursor, { kind: 'started', nodeId: node.id })) return;
  const index = transition.state.nextIndex;
  const visit = (transition.state.visits.get(node.id) ?? 0) + 1;
  const carryover = carryoverFields(transition, cursor, node);
  const mustAsk = cursor.wasCutOff && !node.idempotent;
  transition.emit({
    type: 'StageStarted',
    ...stageFields(node, { index, attempt: 1, visit }),
    ...carryover,
    branch: branchOf(cursorId),
  });
  if (mustAsk) raiseInterruption(transition, transition.cursor(cursorId));
  else execute(transition, cursorId);
}

/** Ends the run, or the branch, at the node that it would enter. */
function giveUp(transition: Transition, { id, branch, nodeId }: Cursor, error: string): void {
  if (branch === undefined) fail(transition, 'stage', error, nodeId);
  else finishBranch(transition, id, { status: 'fail', error });
}

/** Continues from a settled node. */
export function leave(transition: Transition, cursorId: string): void {
  const cursor = transition.cursor(cursorId);
  const node = nodeOf(transition, cursor);
  if (failsByBroken(transition, cursor)) return;
  if (node.id === transition.program.exitId) return leaveExit(transition, cursor);
  const route = routeFrom(transition, cursor, node);
  switch (route.kind) {
    case 'fail':
      if (cursor.branch !== undefined)
        return finishBranch(transition, cursorId, { status: 'fail', error: route.reason });
      return failRoute(transition, cursor, route);
    case 'end':
      if (cursor.branch !== undefined) return finishBranchAt(transition, cursor);
      if (gatesHold(transition, cursor)) complete(transition, cursor);
      return;
    case 'jump':
    case 'join':
      transition.emit({
        type: 'EdgeSelected',
        from: node.id,
        to: route.to,
        reason: route.kind === 'join' ? 'join' : route.reason,
        branch: branchOf(cursorId),
      });
      return transition.next('arrive', cursorId);
    case 'edge':
      if (route.edge.loopRestart && !mayRestart(transition, cursor, node)) return;
      takeEdge(transition, cursorId, route.edge, route.reason);
      return transition.next(route.edge.loopRestart ? 'restart_loop' : 'arrive', cursorId);
  }
}

function takeEdge(
  transition: Transition,
  cursorId: string,
  { from, to, index, label, conditionText, loopRestart }: ProgramEdge,
  reason: RoutingReason,
): void {
  transition.emit({
    type: 'EdgeSelected',
    from,
    to,
    reason,
    edge: index,
    label: label === '' ? undefined : label,
    condition: conditionText === '' ? undefined : conditionText,
    loop_restart: loopRestart ? true : undefined,
    branch: branchOf(cursorId),
  });
}

/** Finishes a branch at its end, with the outcome of its last stage (SEMANTICS 48a). */
function finishBranchAt(transition: Transition, cursor: Cursor): void {
  const outcome = cursor.routedOutcome;
  const status = outcome?.status ?? 'success';
  const error = outcome !== undefined && status === 'fail' ? reasonOf(outcome) : undefined;
  finishBranch(transition, cursor.id, { status, error });
}

/**
 * Checks that an edge with `loop_restart` may be taken; if not, the branch or the run fails (SEMANTICS 36,
 * 48a).
 */
function mayRestart(transition: Transition, cursor: Cursor, node: ProgramNode): boolean {
  if (cursor.branch !== undefined) {
    const error = `"${node.id}" would restart the pipeline (\`loop_restart\`), which is not possible in a parallel branch`;
    finishBranch(transition, cursor.id, { status: 'fail', error });
    return false;
  }
  const { maxRestarts } = transition.program.limits;
  if (transition.state.restarts < maxRestarts) return true;
  const limit = `the pipeline was restarted ${maxRestarts} ${maxRestarts === 1 ? 'time' : 'times'}, the limit set by \`max_restarts\`, and "${node.id}" would restart it again; raise this graph attribute if that is intended`;
  fail(transition, 'limit', limit, node.id);
  return false;
}

/** Restarts the pipeline at the target of the edge (SEMANTICS 36). */
export function restartLoop(transition: Transition, cursorId: string): void {
  const restart = transition.state.restarts + 1;
  const { nodeId } = transition.cursor(cursorId);
  transition.emit({ type: 'LoopRestarted', node_id: nodeId, restart, directory: `restart-${restart}` });
  transition.next('arrive', cursorId);
}

/** Checks that every goal gate holds; if not, jumps back or fails (§3.4, SEMANTICS 33, 34). */
function gatesHold(transition: Transition, cursor: Cursor): boolean {
  const { program, state } = transition;
  const gate = unsatisfiedGate(program, state);
  if (gate === undefined) return true;
  const source = state.gateSources.get(gate.id) ?? gate.id;
  const why = `goal gate "${gate.id}" ${whyUnsatisfied(state, gate, source)}`;
  const { target, skipped } = firstValidTarget(program, gate.id, [
    ...gate.jumpTargets,
    ...program.goalGateTargets,
  ]);
  const repeated = repeatedFailure(state, source);
  for (const message of skipped) transition.log('warning', message, gate.id);
  const limit = program.limits.maxGoalGateRedirects;
  if (target === undefined) {
    const error = `${why}, and no retry_target is set`;
    fail(transition, 'goal_gate', error, gate.id, { resumeAt: source });
  } else if (repeated !== undefined) {
    fail(transition, 'goal_gate', `${why}; ${repeated}`, gate.id, { resumeAt: source });
  } else if (state.goalGateRedirects >= limit) {
    const message = `${why}, and the run was already sent back ${limit} times, the limit set by \`max_goal_gate_redirects\` (last to "${target.nodeId}"); raise this graph attribute if that is intended`;
    fail(transition, 'limit', message, gate.id, { resumeAt: source });
  } else {
    transition.emit({
      type: 'EdgeSelected',
      from: cursor.nodeId,
      to: target.nodeId,
      reason: 'goal_gate',
      gate: gate.id,
      branch: branchOf(cursor.id),
    });
    transition.next('arrive', cursor.id);
  }
  return false;
}

function whyUnsatisfied(state: RunState, { id, handler }: ProgramNode, source: string): string {
  const outcome = state.outcomes.get(id);
  if (outcome === undefined) {
    return state.visits.has(id)
      ? 'has no outcome: its stage was skipped, or stopped with its branch'
      : 'was never visited';
  }
  const reason = outcome.failure_reason ? `: ${outcome.failure_reason}` : '';
  const latest =
    handler.inheritsOutcome && source !== id ? 'the latest outcome that it passed on' : 'its latest outcome';
  return `is not satisfied (${latest} is ${outcome.status}${reason})`;
}

/** Fails the run. A failure that a diamond inherits belongs to the stage that failed (SEMANTICS 21). */
function failRoute(transition: Transition, cursor: Cursor, route: Extract<Route, { kind: 'fail' }>): void {
  const { nodeId } = cursor;
  const source = cursor.routedFrom ?? nodeId;
  const failedNode = route.failure === 'stage' ? source : nodeId;
  fail(transition, route.failure, route.reason, failedNode, {
    resumeAt: resumptionNode(transition.program, cursor),
  });
}

function leaveExit(transition: Transition, cursor: Cursor): void {
  const outcome = cursor.outcome;
  if (outcome?.status === 'fail') fail(transition, 'stage', reasonOf(outcome), cursor.nodeId);
  else complete(transition, cursor);
}

function complete(transition: Transition, cursor: Cursor): void {
  if (failsToBreak(transition, cursor, { kind: 'completes' })) return;
  const { artifacts } = transition.state;
  transition.emit({
    type: 'PipelineCompleted',
    duration: runDuration(transition),
    artifact_count: artifacts.size,
  });
}
