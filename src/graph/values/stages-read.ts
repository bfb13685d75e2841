import type { AttributeMap, Graph } from '../graph.js';

/** `stages.<id>` in a value, in a condition, or after `parallel.results.<branch>.`. */
const stageRead = /\bstages\.([A-Za-z_][A-Za-z0-9_]*)/g;

/**
 * Ids of the nodes that some attribute reads by their names (SEMANTICS 104): a run remembers what these stages said, and of no
 * other stage. It may have more of them, but none is missing.
 */
export function stagesRead(graph: Graph): ReadonlySet<string> {
  const ids = new Set<string>();
  const search = (attributes: AttributeMap): void => {
    for (const { value } of attributes.values()) {
      if (typeof value !== 'string' || !value.includes('stages.')) continue;
      for (const [, id = ''] of value.matchAll(stageRead)) if (graph.nodes.has(id)) ids.add(id);
    }
  };
  search(graph.attributes);
  for (const { attributes } of graph.nodes.values()) search(attributes);
  for (const { attributes } of graph.edges) search(attributes);
  return ids;
}
