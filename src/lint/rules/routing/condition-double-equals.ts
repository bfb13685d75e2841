import { conditionOf, nodeConditionOf, nodeConditions } from '../../../graph/queries.js';
import type { ConditionParseResult } from '../../../parser/condition/ast.js';
import { attributeOwners } from '../../attribute-owners.js';
import { distinctAttributes } from '../../distinct-attributes.js';
import { findingsInside } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';

/** SEMANTICS 44e: `==` is read as `=`. */
export const conditionDoubleEquals: LintRule = {
  name: 'condition_double_equals',
  severity: 'warning',
  fixable: true,
  summary: 'Conditions compare with `=`, not with `==`.',
  rationale:
    'The condition language of the specification only has `=`. `==` means the same here, but other implementations may reject it. Write `=`.',
  tag: 'deprecated',
  *apply(graph, { source }) {
    for (const { owner: edge, attribute } of distinctAttributes(
      attributeOwners(graph).edgesWith('condition'),
      'condition',
    )) {
      for (const finding of findingsInside(attribute, doubleEqualsOf(conditionOf(edge)), source)) {
        yield { ...finding, edge: [edge.from, edge.to] };
      }
    }
    for (const name of nodeConditions) {
      const owners = attributeOwners(graph).nodesWith(name);
      for (const { owner, attribute } of distinctAttributes(owners, name)) {
        for (const finding of findingsInside(
          attribute,
          doubleEqualsOf(nodeConditionOf(owner, name)),
          source,
        )) {
          yield { ...finding, nodeId: owner.id };
        }
      }
    }
  },
};

function doubleEqualsOf({ diagnostics }: ConditionParseResult): ConditionParseResult['diagnostics'] {
  return diagnostics.filter(({ rule }) => rule === 'condition_double_equals');
}
