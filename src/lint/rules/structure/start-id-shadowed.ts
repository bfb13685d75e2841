import { excerpt } from '../../../diagnostic/excerpt.js';
import type { Graph, Node } from '../../../graph/graph.js';
import { exitNodes, startNodes } from '../../../graph/queries.js';
import type { Finding, LintRule } from '../../rule.js';

/**
 * SEMANTICS 41, 92: a node is the start by its id only if no other is the start by shape or type; the exit
 * likewise.
 */
export const startIdShadowed: LintRule = {
  name: 'start_id_shadowed',
  severity: 'warning',
  summary: 'No ordinary node has the name of the start or the exit.',
  rationale:
    'A node called `start`, `exit` or `end` is the start or the exit only if no node has the corresponding shape. Next to a node with `shape=Mdiamond`, a node called `start` is an ordinary stage, by default one that sends "start" to a model. Give the shape to the intended node, or rename the other one.',
  *apply(graph) {
    yield* shadowed(graph, startNodes(graph), ['start', 'Start'], 'start', 'Mdiamond');
    yield* shadowed(graph, exitNodes(graph), ['exit', 'end'], 'exit', 'Msquare');
  },
};

function* shadowed(
  graph: Graph,
  nodes: readonly Node[],
  ids: readonly string[],
  part: string,
  shape: string,
): Iterable<Finding> {
  const [real] = nodes;
  if (real === undefined) return;
  for (const id of ids) {
    const node = graph.nodes.get(id);
    // Another rule reports ids that differ in case only.
    if (node === undefined || nodes.includes(node) || id.toLowerCase() === real.id.toLowerCase()) continue;
    yield {
      message: `${excerpt(id)} is an ordinary stage, because ${excerpt(real.id)} is the ${part} of this pipeline`,
      span: node.span,
      nodeId: id,
      related: [{ span: real.span, message: `the ${part} node` }],
      fix: { title: `rename it, or give \`shape=${shape}\` only to it`, edits: [] },
    };
  }
}
