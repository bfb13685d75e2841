import type { Graph } from './graph.js';
import type { KnownHandlerTypes } from './known-handler-types.js';

/**
 * Finds something of a graph once for all who ask, as long as they ask with the same handler types: a graph is judged with
 * one set of them at a time, so that no more than the latest answer is kept.
 */
export function perGraph<Found>(
  find: (graph: Graph, handlerTypes: KnownHandlerTypes) => Found,
): (graph: Graph, handlerTypes: KnownHandlerTypes) => Found {
  const known = new WeakMap<Graph, { readonly handlerTypes: KnownHandlerTypes; readonly found: Found }>();
  return (graph, handlerTypes) => {
    const before = known.get(graph);
    if (before?.handlerTypes === handlerTypes) return before.found;
    const found = find(graph, handlerTypes);
    known.set(graph, { handlerTypes, found });
    return found;
  };
}
