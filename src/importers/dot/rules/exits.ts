import { exitNodes } from '../../../graph/queries.js';
import type { PipelineChange, PipelineRule } from '../dot-dialect.js';

/** Several exits become one: the first one keeps its name, and each of the others leads to it. */
export const oneExit: PipelineRule = function* (graph): Iterable<PipelineChange> {
  const [exit, ...others] = exitNodes(graph);
  if (exit === undefined) return;
  for (const other of others) {
    for (const edge of graph.edges) {
      if (edge.to === other.id) yield { kind: 'replace', span: edge.toSpan, text: exit.id };
    }
    const attribute = other.attributes.get('shape') ?? other.attributes.get('type');
    if (attribute === undefined) continue;
    const message = `the exit "${other.id}" is no longer used: a pipeline has one exit, which is "${exit.id}"`;
    yield { kind: 'drop_node', nodeId: other.id, message };
  }
};
