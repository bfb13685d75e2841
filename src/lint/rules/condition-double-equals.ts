import { conditionOf } from '../../graph/queries.js';
import { distinctAttributes } from '../distinct-attributes.js';
import { findingsInside } from '../findings-inside.js';
import type { LintRule } from '../rule.js';

/** SEMANTICS 44e: `==` is read as `=`. */
export const conditionDoubleEquals: LintRule = {
  name: 'condition_double_equals',
  severity: 'warning',
  fixable: true,
  summary: 'Conditions compare with `=`, not with `==`.',
  rationale:
    'The condition language of the specification has `=` only. `==` means the same here, but another implementation may refuse it. Write `=`.',
  *apply(graph, { source }) {
    for (const { owner: edge, attribute } of distinctAttributes(graph.edges, 'condition')) {
      const warnings = conditionOf(edge).diagnostics.filter(({ rule }) => rule === 'condition_double_equals');
      for (const finding of findingsInside(attribute, warnings, source)) {
        yield { ...finding, edge: [edge.from, edge.to] };
      }
    }
  },
};
