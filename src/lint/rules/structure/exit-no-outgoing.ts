import { excerpt } from '../../../diagnostic/excerpt.js';
import { exitNodes, outgoingEdges } from '../../../graph/queries.js';
import type { LintRule } from '../../rule.js';

/** §7.2 `exit_no_outgoing`. Silent as long as `terminal_node` has a finding about which node is the exit. */
export const exitNoOutgoing: LintRule = {
  name: 'exit_no_outgoing',
  severity: 'error',
  summary: 'No edge leaves the exit node.',
  rationale:
    'A run ends at the exit node, so an edge that leaves it is never taken. Put work that belongs before the end into a stage before the exit. To go back from an unsatisfied goal gate, set `retry_target`.',
  *apply(graph) {
    const exits = exitNodes(graph);
    const [exit] = exits;
    if (exit === undefined || exits.length > 1) return;
    for (const edge of outgoingEdges(graph, exit.id)) {
      yield {
        message: `the edge from the exit node ${excerpt(exit.id)} to ${excerpt(edge.to)} is never taken`,
        span: edge.fromSpan,
        nodeId: exit.id,
        edge: [edge.from, edge.to],
        fix: { title: 'remove the edge, or start it at a stage before the exit', edits: [] },
      };
    }
  },
};
