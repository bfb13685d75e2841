import { type ConditionScope, evaluateCondition, explainCondition } from '../../graph/evaluate-condition.js';
import type { Program, ProgramEdge, ProgramNode } from '../../graph/program.js';
import { conditionScope } from '../../machine/context.js';
import type { EdgeSelected, RoutingReason, RunEvent } from '../../machine/event.js';
import { evolve } from '../../machine/evolve/evolve.js';
import { type Cursor, mainCursor, type RunState } from '../../machine/state.js';
import type { Simulation } from './simulation.js';

/** A way that control took, and why (§3.3, §3.7). */
export interface TakenRoute {
  /** Number of the event, so that routes and events can be sorted together. */
  readonly seq: number;
  readonly from: string;
  readonly to: string;
  /** The rule that won, in a sentence. */
  readonly why: string;
  /** All ways out, in the order of the text. */
  readonly ways: readonly WayOut[];
}

export interface WayOut {
  readonly to: string;
  readonly label: string;
  readonly isTaken: boolean;
  /** Reason for it or against it, with the values that its condition saw. */
  readonly verdict: string;
}

/** Routes of control between two moments of a simulation, with the reasons. */
export function explainRoutes(before: Simulation, after: Simulation): readonly TakenRoute[] {
  const { program } = after;
  const routes: TakenRoute[] = [];
  let state = before.state;
  for (const event of after.events.slice(before.events.length)) {
    if (event.type === 'EdgeSelected') routes.push(explainRoute(program, state, event));
    state = evolve(program, state, event);
  }
  return routes;
}

function explainRoute(program: Program, state: RunState, event: RunEvent & EdgeSelected): TakenRoute {
  const node = program.nodes.get(event.from);
  const cursor = state.cursors.get(event.branch ?? mainCursor);
  return {
    seq: event.seq,
    from: event.from,
    to: event.to,
    why:
      node?.edges.length === 1 && event.reason === 'weight'
        ? 'It is the only way on.'
        : sentence(event, cursor),
    ways: node === undefined || cursor === undefined ? [] : waysOf(node, cursor, event),
  };
}

function waysOf(node: ProgramNode, cursor: Cursor, event: EdgeSelected): readonly WayOut[] {
  const outcome = cursor.routedOutcome ?? cursor.outcome;
  // The branches of a parallel node are not ways to choose between.
  if (outcome === undefined || event.reason === 'join') return [];
  const scope = conditionScope(cursor, outcome);
  return node.edges.map((edge) => ({
    to: edge.to,
    label: edge.label,
    isTaken: edge.index === event.edge,
    verdict: verdictOn(edge, event, scope),
  }));
}

function verdictOn(edge: ProgramEdge, event: EdgeSelected, scope: ConditionScope): string {
  if (edge.condition !== undefined) {
    const holds = evaluateCondition(edge.condition, scope);
    const seen = explainCondition(edge.condition, scope);
    if (!holds) return `does not hold: ${seen}`;
    return edge.index === event.edge ? `holds: ${seen}` : `holds too, but comes after: ${seen}`;
  }
  if (edge.index === event.edge) return taken[event.reason];
  switch (event.reason) {
    case 'condition':
      return 'not asked: a condition held';
    case 'preferred_label':
      return 'not the preferred label';
    case 'suggested_next_ids':
      return 'not what was suggested first';
    case 'weight':
      return `comes after it: weight ${edge.weight}`;
    case 'failure_to_conditional':
      return 'leads to no diamond, or comes after it';
    case 'retry_target':
    case 'fallback_retry_target':
    case 'goal_gate':
    case 'join':
      return 'not asked: control jumped';
  }
}

const taken: Readonly<Record<RoutingReason, string>> = {
  condition: 'its condition holds',
  preferred_label: 'has the preferred label',
  suggested_next_ids: 'leads to the suggested stage',
  weight: 'of those without a condition the highest weight, then the first by name',
  failure_to_conditional: 'leads a failure on into a diamond',
  retry_target: 'the retry target',
  fallback_retry_target: 'the fallback retry target',
  goal_gate: 'the goal gate sent control back',
  join: 'where the branches meet',
};

function sentence(event: EdgeSelected, cursor: Cursor | undefined): string {
  const outcome = cursor?.routedOutcome ?? cursor?.outcome;
  switch (event.reason) {
    case 'condition':
      return `The condition ${event.condition ?? 'of the edge'} holds.`;
    case 'preferred_label':
      return `The outcome prefers the label "${outcome?.preferred_label ?? event.label ?? ''}".`;
    case 'suggested_next_ids':
      return `The outcome suggests "${event.to}".`;
    case 'weight':
      return 'Nothing else decided: the edge of the highest weight is taken, then the first by name.';
    case 'failure_to_conditional':
      return 'A failure continues into a diamond, whose conditions look at it.';
    case 'retry_target':
      return `A failure with a retry target goes back to "${event.to}".`;
    case 'fallback_retry_target':
      return `A failure goes back to the fallback retry target "${event.to}".`;
    case 'goal_gate':
      return `The goal gate "${event.gate ?? ''}" is not satisfied: control goes back to "${event.to}".`;
    case 'join':
      return `All branches have ended: control continues where they meet, at "${event.to}".`;
  }
}
