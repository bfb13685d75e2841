import type { Graph } from './graph.js';
import type { KnownHandlerTypes } from './known-handler-types.js';

/**
 * Caches a result for a graph, for the latest set of handler types only, because a graph is judged with one
 * set at a time.
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
