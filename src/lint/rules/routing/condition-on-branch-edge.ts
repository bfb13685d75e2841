import { excerpt } from '../../../diagnostic/excerpt.js';
import { nodesHandledBy } from '../../../graph/queries.js';
import { distinctAttributes } from '../../distinct-attributes.js';
import type { LintRule } from '../../rule.js';

/** SEMANTICS 44j: every edge of a parallel node is a branch (§4.8), so a condition on it decides nothing. */
export const conditionOnBranchEdge: LintRule = {
  name: 'condition_on_branch_edge',
  severity: 'warning',
  summary: 'No edge that leaves a parallel node has a condition.',
  rationale:
    'A parallel node runs all of its outgoing edges as branches and ignores their conditions. To run a branch only in some cases, start it with a diamond (`shape=diamond`) whose edges have conditions.',
  tag: 'unnecessary',
  *apply(graph, { handlerTypes }) {
    const forks = nodesHandledBy(graph, handlerTypes, (handler) => handler.forks);
    if (forks.length === 0) return;
    const ids = new Set(forks.map(({ id }) => id));
    const branches = graph.edges.filter(({ from }) => ids.has(from));
    for (const { owner, attribute } of distinctAttributes(branches, 'condition')) {
      if (String(attribute.value).trim() === '') continue;
      yield {
        message: `the condition has no effect: ${excerpt(owner.from)} runs all of its edges as branches`,
        span: { start: attribute.keySpan.start, end: attribute.valueSpan.end },
        edge: [owner.from, owner.to],
        fix: {
          title: 'remove it, or start the branch with a diamond whose edges have conditions',
          edits: [],
        },
      };
    }
  },
};
