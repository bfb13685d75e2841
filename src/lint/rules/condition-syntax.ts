import { conditionOf } from '../../graph/queries.js';
import { distinctAttributes } from '../distinct-attributes.js';
import { findingsInside } from '../findings-inside.js';
import type { LintRule } from '../rule.js';

/** §7.2 `condition_syntax`, by the grammar of §10.2 and its superset (SEMANTICS 43b). */
export const conditionSyntax: LintRule = {
  name: 'condition_syntax',
  severity: 'error',
  summary: 'The condition of every edge can be read.',
  rationale:
    'A condition that cannot be read would leave its edge never or always taken. A condition compares keys with values: `outcome=success`, `context.tests_passed=true && outcome!=fail`; `docs/pipelines.md` has them all.',
  *apply(graph, { source }) {
    for (const { owner: edge, attribute } of distinctAttributes(graph.edges, 'condition')) {
      const errors = conditionOf(edge).diagnostics.filter(({ rule }) => rule === 'condition_syntax');
      for (const finding of findingsInside(attribute, errors, source)) {
        yield { ...finding, edge: [edge.from, edge.to] };
      }
    }
  },
};
