import type { SourceText } from '../../../diagnostic/source.js';
import type { Attribute } from '../../../graph/graph.js';
import { conditionOf, nodeConditionOf, nodeConditions } from '../../../graph/queries.js';
import type { ConditionParseResult } from '../../../parser/condition/ast.js';
import { attributeOwners } from '../../attribute-owners.js';
import { distinctAttributes } from '../../distinct-attributes.js';
import { findingsInside } from '../../findings-inside.js';
import type { Finding, LintRule } from '../../rule.js';

/** §7.2 `condition_syntax`, by the grammar of §10.2 and its superset (SEMANTICS 43b). */
export const conditionSyntax: LintRule = {
  name: 'condition_syntax',
  severity: 'error',
  summary: 'The condition of every edge, and every condition of a node, is valid.',
  rationale:
    'An edge whose condition cannot be parsed would be taken always or never. A condition compares keys with values: `outcome=success`, `context.tests_passed=true && outcome!=fail`. `docs/pipelines.md` describes the syntax.',
  *apply(graph, { source }) {
    for (const { owner: edge, attribute } of distinctAttributes(
      attributeOwners(graph).edgesWith('condition'),
      'condition',
    )) {
      for (const finding of syntaxErrors(attribute, conditionOf(edge), source)) {
        yield { ...finding, edge: [edge.from, edge.to] };
      }
    }
    for (const name of nodeConditions) {
      const owners = attributeOwners(graph).nodesWith(name);
      for (const { owner, attribute } of distinctAttributes(owners, name)) {
        for (const finding of syntaxErrors(attribute, nodeConditionOf(owner, name), source)) {
          yield { ...finding, nodeId: owner.id };
        }
      }
    }
  },
};

function syntaxErrors(
  attribute: Attribute,
  { diagnostics }: ConditionParseResult,
  source: SourceText,
): readonly Finding[] {
  const errors = diagnostics.filter(({ rule }) => rule === 'condition_syntax');
  return findingsInside(attribute, errors, source);
}
