import { excerpt } from '../../diagnostic/excerpt.js';
import { handlerTypeOf } from '../../graph/queries.js';
import { distinctAttributes } from '../distinct-attributes.js';
import type { LintRule } from '../rule.js';

/** SEMANTICS 44j: every edge of a parallel node is a branch (§4.8), so a condition on it decides nothing. */
export const conditionOnBranchEdge: LintRule = {
  name: 'condition_on_branch_edge',
  severity: 'warning',
  summary: 'No edge that leaves a parallel node has a condition.',
  rationale:
    'A parallel node runs all of its outgoing edges as branches, whatever their conditions say. To run a branch only sometimes, let it begin with a diamond (`shape=diamond`) that has the condition.',
  *apply(graph, { handlerTypes }) {
    const branches = graph.edges.filter(({ from }) => {
      const node = graph.nodes.get(from);
      return node !== undefined && handlerTypeOf(graph, node, handlerTypes).forks;
    });
    for (const { owner, attribute } of distinctAttributes(branches, 'condition')) {
      if (String(attribute.value).trim() === '') continue;
      yield {
        message: `the condition decides nothing: ${excerpt(owner.from)} runs all of its edges as branches`,
        span: { start: attribute.keySpan.start, end: attribute.valueSpan.end },
        edge: [owner.from, owner.to],
        fix: { title: 'remove it, or let the branch begin with a diamond that has it', edits: [] },
      };
    }
  },
};
