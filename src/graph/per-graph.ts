import type { Graph } from './graph.js';
import type { KnownHandlerTypes } from './known-handler-types.js';

/**
 * Caches a result for a graph, for the latest set of handler types only, because a graph is judged with one
 * set at a time.
 */
export function perGraph<Found>(
  find: (graph: Graph, handlerTypes: KnownHandlerTypes) => Found,
): (graph: Graph, handlerTypes: KnownHandlerTypes) => Found {
  const cache = new WeakMap<Graph, { readonly handlerTypes: KnownHandlerTypes; readonly found: Found }>();
  return (graph, handlerTypes) => {
    const before = cache.get(graph);
    if (before?.handlerTypes === handlerTypes) return before.found;
    const result = find(graph, handlerTypes);
    cache.set(graph, { handlerTypes, found: result });
    return result;
  };
}
