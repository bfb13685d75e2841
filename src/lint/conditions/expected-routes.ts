import type { Edge, Graph } from '../../graph/graph.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import { perGraph } from '../../graph/per-graph.js';
import { handlerTypeOf } from '../../graph/queries.js';
import { selectUnconditional } from '../../graph/select-edge.js';
import { neverTaken } from './never-taken.js';
import { failureRoutes } from './routes-of.js';
import { routingNode } from './stage-edges.js';
import { expectedAlong, expectedOutcomes } from './stage-outcomes.js';

/** Routes from a node that can be expected: none that `dead_edge` proves dead, and none for an outcome that never arrives. */
export interface ExpectedRoutes {
  isTaken(edge: Edge): boolean;
  /** True if the node may fail, and so use its retry targets. */
  mayFail(nodeId: string): boolean;
}

export const expectedRoutes = perGraph((graph: Graph, handlerTypes: KnownHandlerTypes): ExpectedRoutes => {
  const dead = neverTaken(graph, handlerTypes);
  const along = expectedAlong(graph, handlerTypes);
  const outcomes = expectedOutcomes(graph, handlerTypes);
  const isWayOfFailure = (edge: Edge): boolean =>
    failureRoutes(graph, edge.from, handlerTypes).some((route) => 'edge' in route && route.edge === edge);
  const leadsAlong = (edge: Edge): boolean =>
    along(edge).some((status) => status !== 'fail' || isWayOfFailure(edge));
  return {
    isTaken: (edge) => !dead.has(edge) && leadsAlong(edge) && !isPassedOver(graph, edge, handlerTypes),
    mayFail: (nodeId) => outcomes(nodeId).has('fail'),
  };
});

/** The start names no label and no node, so that of its plain edges the same one is taken each time. */
function isPassedOver(graph: Graph, edge: Edge, handlerTypes: KnownHandlerTypes): boolean {
  const node = graph.nodes.get(edge.from);
  if (node === undefined || handlerTypeOf(graph, node, handlerTypes).type !== 'start') return false;
  const edges = routingNode(graph, edge.from, handlerTypes)?.edges ?? [];
  const unconditional = edges.filter(
    ({ condition, conditionText }) => condition === undefined && conditionText === '',
  );
  const isPlain = unconditional.some(({ index }) => index === edge.index);
  return isPlain && selectUnconditional(unconditional, {})?.edge.index !== edge.index;
}
