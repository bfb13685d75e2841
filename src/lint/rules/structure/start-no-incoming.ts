import { excerpt } from '../../../diagnostic/excerpt.js';
import { startNodes } from '../../../graph/queries.js';
import type { LintRule } from '../../rule.js';

/** §7.2 `start_no_incoming`. Silent as long as `start_node` has a finding about which node is the start. */
export const startNoIncoming: LintRule = {
  name: 'start_no_incoming',
  severity: 'error',
  summary: 'No edge leads to the start node.',
  rationale:
    'The start node marks the beginning of a run and does nothing, so an edge back to it hides where work continues. Point the edge at the first stage that should run again; to start over, set `loop_restart=true` on it.',
  *apply(graph) {
    const starts = startNodes(graph);
    const [start] = starts;
    if (start === undefined || starts.length > 1) return;
    for (const edge of graph.edges) {
      if (edge.to !== start.id) continue;
      yield {
        message: `an edge from ${excerpt(edge.from)} leads to the start node ${excerpt(start.id)}`,
        span: edge.toSpan,
        nodeId: start.id,
        edge: [edge.from, edge.to],
        fix: { title: 'point it at the stage that should run again', edits: [] },
      };
    }
  },
};
