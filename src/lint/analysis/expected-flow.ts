import { graphAttribute } from '../../graph/attributes.js';
import type { Graph } from '../../graph/graph.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import { perGraph } from '../../graph/per-graph.js';
import { outgoingEdges } from '../../graph/queries.js';
import { expectedRoutes } from '../conditions/expected-routes.js';
import { type ControlFlow, controlFlow, goalGateTargets, type Step } from './control-flow.js';

/** Control flow without the steps that no run takes or that need an unexpected outcome. */
export const expectedFlow = perGraph((graph: Graph, handlerTypes: KnownHandlerTypes): ControlFlow => {
  const flow = controlFlow(graph, handlerTypes);
  const routes = expectedRoutes(graph, handlerTypes);
  const steps: (readonly Step[] | undefined)[] = [];
  const isTaken = (from: string, { to, by }: Step): boolean => {
    if (by === 'jump') return routes.mayFail(from);
    if (by !== 'edge' && by !== 'restart') return true;
    const id = flow.points[to]?.node.id;
    return outgoingEdges(graph, from).some((edge) => edge.to === id && routes.isTaken(edge));
  };
  return {
    ...flow,
    stepsFrom(index) {
      const id = flow.points[index]?.node.id ?? '';
      const taken = steps[index] ?? flow.stepsFrom(index).filter((step) => isTaken(id, step));
      steps[index] = taken;
      return taken;
    },
  };
});

/** Nodes that a run may reach by the expected flow; an unvisited goal gate sends no run back. */
export const expectedNodes = perGraph(
  (graph: Graph, handlerTypes: KnownHandlerTypes): ReadonlySet<string> => {
    const flow = expectedFlow(graph, handlerTypes);
    const needsAllGates = graphAttribute(graph, 'require_goal_gates');
    const reached = new Set<string>();
    const seen = new Set<number>();
    let open = flow.points.slice(0, 1).map(({ index }) => index);
    while (open.length > 0) {
      for (const index of open) {
        if (seen.has(index)) continue;
        seen.add(index);
        reached.add(flow.points[index]?.node.id ?? '');
        for (const { to, by } of flow.stepsFrom(index)) if (by !== 'goal_gate') open.push(to);
      }
      const targets = goalGateTargets(graph, ({ id }) => needsAllGates || reached.has(id));
      const sentBack = [...targets].flatMap((id) =>
        flow.placesOf(id).filter(({ region }) => region === undefined),
      );
      open = sentBack.map(({ index }) => index).filter((index) => !seen.has(index));
    }
    return reached;
  },
);
