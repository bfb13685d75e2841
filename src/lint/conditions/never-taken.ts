import type { Edge, Graph } from '../../graph/graph.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import { perGraph } from '../../graph/per-graph.js';
import type { ProgramEdge } from '../../graph/program.js';
import { handlerTypeOf } from '../../graph/queries.js';
import { type DeadEdge, deadEdges } from './dead-edges.js';
import { stageEdges } from './stage-edges.js';

/** Dead edge, with the conditional edges of its node. */
export interface DeadEdgeOfNode extends DeadEdge {
  readonly conditional: readonly ProgramEdge[];
}

/** Edges of a graph that no run takes, computed once for all rules. */
export const deadEdgesOf = perGraph(
  (graph: Graph, handlerTypes: KnownHandlerTypes): readonly DeadEdgeOfNode[] => {
    const handlerOf = (nodeId: string) => {
      const node = graph.nodes.get(nodeId);
      return node && handlerTypeOf(graph, node, handlerTypes);
    };
    return [...stageEdges(graph, handlerTypes).values()].flatMap((stage) =>
      deadEdges(stage, handlerOf).map(({ edge, why: cause }) => ({
        edge,
        why: cause,
        conditional: stage.conditional,
      })),
    );
  },
);

/** Those edges of the graph itself: no path of a run uses them. */
export const neverTaken = perGraph(
  (graph: Graph, handlerTypes: KnownHandlerTypes): ReadonlySet<Edge> =>
    new Set(deadEdgesOf(graph, handlerTypes).flatMap(({ edge }) => graph.edges[edge.index] ?? [])),
);
