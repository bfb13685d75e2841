import { excerpt } from '../../../diagnostic/excerpt.js';
import { edgeAttribute } from '../../../graph/attributes.js';
import { attributeOwners } from '../../attribute-owners.js';
import { nodeRegions } from '../../node-regions.js';
import type { LintRule } from '../../rule.js';

/** SEMANTICS 48a: a branch that takes an edge with `loop_restart` fails. */
export const restartInBranch: LintRule = {
  name: 'restart_in_branch',
  severity: 'error',
  summary: 'No edge inside a parallel branch has `loop_restart`.',
  rationale:
    'An edge with `loop_restart=true` ends everything and starts the pipeline over. A branch cannot do that while other branches run: it fails instead. Let the branch end, and restart after the join, with a condition on the results of the branches.',
  provesAbsence: true,
  *apply(graph, context) {
    const edges = attributeOwners(graph).edgesWith('loop_restart');
    if (edges.length === 0) return;
    const regions = nodeRegions(graph, context);
    for (const edge of edges) {
      if (!edgeAttribute(edge, 'loop_restart')) continue;
      const [region] = regions.regionsOf(edge.from);
      if (region === undefined) continue;
      const { parallelId } = region;
      const attribute = edge.attributes.get('loop_restart');
      yield {
        message: `the edge cannot restart the pipeline: ${excerpt(edge.from)} is in a branch of ${excerpt(parallelId)}, and a branch that takes it fails`,
        span:
          attribute === undefined
            ? edge.span
            : { start: attribute.keySpan.start, end: attribute.valueSpan.end },
        edge: [edge.from, edge.to],
        // A default is meant for other edges too.
        severity: attribute?.origin === 'default' ? 'warning' : undefined,
        fix: {
          title: `restart after \`${regions.joins.get(parallelId) ?? parallelId}\`, where the branches meet`,
          edits: [],
        },
      };
    }
  },
};
