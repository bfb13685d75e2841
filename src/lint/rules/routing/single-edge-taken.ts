import { excerpt } from '../../../diagnostic/excerpt.js';
import { edgeAttribute } from '../../../graph/attributes.js';
import { adjacencyOf } from '../../../graph/flow/adjacency.js';
import type { Edge } from '../../../graph/graph.js';
import { handlerTypeOf } from '../../../graph/queries.js';
import { listNames } from '../../list-names.js';
import { handlersInDoubt } from '../../misspelt.js';
import { routingInDoubt } from '../../routing-in-doubt.js';
import type { LintRule } from '../../rule.js';

/** SEMANTICS 54a: of several plain edges, one is taken (§3.3); they are not branches. */
export const singleEdgeTaken: LintRule = {
  name: 'single_edge_taken',
  severity: 'info',
  summary: 'An ordinary node has at most one outgoing edge without a condition, label or weight.',
  rationale:
    'Only one outgoing edge of a node is taken: the one selected by a condition, a label, the stage or the weight, or else the one whose target comes first in the alphabet. To run all of them, make the node parallel (`shape=component`); to choose among them, add conditions.',
  *apply(graph, { handlerTypes }) {
    const { nodes, outgoing } = adjacencyOf(graph);
    for (const [number, edges] of outgoing.entries()) {
      const node = nodes[number];
      if (node === undefined || edges.length < 2) continue;
      const { forks, type } = handlerTypeOf(graph, node, handlerTypes);
      // The edges of a human gate are the choices of a person.
      if (forks || type === 'wait.human') continue;
      const unconditional = edges.filter(isPlain);
      const targets = [...new Set(unconditional.map(({ to }) => to))];
      const [, second] = unconditional;
      if (targets.length < 2 || second === undefined) continue;
      if (routingInDoubt(graph).has(node.id) || handlersInDoubt(graph, handlerTypes).has(node)) continue;
      yield {
        message: `only one of the edges from ${excerpt(node.id)} to ${listNames(targets)} is taken`,
        span: second.span,
        nodeId: node.id,
        edge: [second.from, second.to],
        fix: { title: 'use `shape=component` to run all of them, or choose with conditions', edits: [] },
      };
    }
  },
};

/** True if nothing determines when it is taken. */
function isPlain(edge: Edge): boolean {
  const { attributes } = edge;
  if (attributes.has('weight') || edgeAttribute(edge, 'label') !== '') return false;
  return edgeAttribute(edge, 'condition').trim() === '';
}
