import { nodeAttribute } from '../../graph/attributes.js';
import type { Graph, Node } from '../../graph/graph.js';
import type { HandlerType } from '../../graph/handler-types.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import { outgoingEdges } from '../../graph/queries.js';
import type { StageStatus } from '../../graph/stage-status.js';
import { failureRoutes } from '../conditions/routes-of.js';
import { expectedAlong, expectedOutcomes } from '../conditions/stage-outcomes.js';
import type { ProgramPoint } from './control-flow.js';

/** Effect of an outcome on the keys that a stage declares and assigns (SEMANTICS 102, 103). */
export interface Effect {
  /**
   * - `checked`: a success, which has set all that `writes` declares, and assigned the rest;
   * - `assigned`: an outcome that `writes` does not check, and that assigns;
   * - `perhaps_set`: one that assigns nothing.
   */
  readonly keys: 'checked' | 'assigned' | 'perhaps_set';
  readonly hasFailed: boolean;
}

/** @param target undefined for all outcomes, wherever they lead */
export type EffectsOf = (point: ProgramPoint, target: ProgramPoint | undefined) => readonly Effect[];

export const success: Effect = { keys: 'checked', hasFailed: false };
const failure: Effect = { keys: 'perhaps_set', hasFailed: true };
const passedFailure: Effect = { keys: 'checked', hasFailed: true };
/** Of `allow_partial`, which assigns nothing. */
const exhausted: Effect = { keys: 'perhaps_set', hasFailed: false };
/** Skipped, or a partial success that the stage itself has reported. */
const unchecked: Effect = { keys: 'assigned', hasFailed: false };

/** Effects of all outcomes that a stage can have. */
export function possibleEffects(graph: Graph, handlerTypes: KnownHandlerTypes): EffectsOf {
  return (point, target) => {
    const { node, handler } = point;
    const failures = handler.inheritsOutcome ? [passedFailure, failure] : [failure];
    const others = handler.inheritsOutcome || handler.neverFails ? [success] : [success, unchecked];
    if (nodeAttribute(node, 'allow_partial')) others.push(exhausted);
    const isSafe = handler.neverFails && !handler.inheritsOutcome && !node.attributes.has('fail_when');
    const mayFail = !isSafe && failureMayTake(graph, point, target, handlerTypes);
    return mayFail ? [...others, ...failures] : others;
  };
}

/** Effects of the outcomes that the author of a pipeline must expect. */
export function expectedEffects(graph: Graph, handlerTypes: KnownHandlerTypes): EffectsOf {
  const outcomes = expectedOutcomes(graph, handlerTypes);
  const along = expectedAlong(graph, handlerTypes);
  return (point, target) => {
    const { node, handler } = point;
    const edges = target && outgoingEdges(graph, node.id).filter(({ to }) => to === target.node.id);
    const statuses = new Set(edges === undefined ? outcomes(node.id) : edges.flatMap(along));
    if (!failureMayTake(graph, point, target, handlerTypes)) statuses.delete('fail');
    return [...statuses].map((status) => expectedEffect(node, handler, status));
  };
}

function expectedEffect(node: Node, { inheritsOutcome }: HandlerType, status: StageStatus): Effect {
  if (status === 'success') return success;
  if (status === 'fail' || status === 'retry') return inheritsOutcome ? passedFailure : failure;
  if (inheritsOutcome) return success;
  return nodeAttribute(node, 'allow_partial') ? exhausted : unchecked;
}

/** True if a failure may lead along an edge, or from a parallel node over its join, to the target. */
export function failureMayTake(
  graph: Graph,
  { node }: ProgramPoint,
  target: ProgramPoint | undefined,
  handlerTypes: KnownHandlerTypes,
): boolean {
  if (target === undefined) return true;
  const { id } = target.node;
  return failureRoutes(graph, node.id, handlerTypes).some((route) =>
    route.kind === 'join' ? route.to === id : 'edge' in route && route.edge.to === id,
  );
}
