import type { Diagnostic } from '../../../diagnostic/diagnostic.js';
import { nearestName } from '../../../diagnostic/did-you-mean.js';
import { excerpt } from '../../../diagnostic/excerpt.js';
import { conditionOf } from '../../../graph/queries.js';
import { stageStatuses } from '../../../graph/stage-status.js';
import type { LiteralOperand } from '../../../parser/condition/ast.js';
import { attributeOwners } from '../../attribute-owners.js';
import { distinctAttributes } from '../../distinct-attributes.js';
import { findingsInside } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';
import { statusMeant } from '../../status-meant.js';
import { strayOutcomes } from '../../stray-outcomes.js';

/** SEMANTICS 44g: a condition compares `outcome` with a word that is never an outcome. */
export const outcomeKnown: LintRule = {
  name: 'outcome_known',
  severity: 'warning',
  fixable: true,
  summary: 'A condition compares `outcome` with one of the five outcomes.',
  rationale:
    'The outcome of a stage is success, partial_success, retry, fail or skipped. An edge that waits for another word is never taken, and its negation always is. To route by your own words, let the stage choose an edge by its label (`preferred_label`), or set a context key and test that. `attractor run --custom-outcomes` allows such words: they count as success, and edges can test them.',
  *apply(graph, { source }) {
    for (const { owner, attribute } of distinctAttributes(
      attributeOwners(graph).edgesWith('condition'),
      'condition',
    )) {
      const { condition } = conditionOf(owner);
      if (condition === undefined) continue;
      const unknown = strayOutcomes(condition);
      for (const finding of findingsInside(attribute, unknown.map(unknownOutcome), source)) {
        yield { ...finding, edge: [owner.from, owner.to] };
      }
    }
  },
};

function unknownOutcome({ value, span }: LiteralOperand): Diagnostic {
  const synonym = statusMeant(value);
  const suggestion = synonym ?? nearestName(value, stageStatuses);
  const known = stageStatuses.map((outcome) => `\`${outcome}\``).join(', ');
  return {
    rule: 'outcome_known',
    severity: 'warning',
    span,
    message: `no outcome is ever ${excerpt(value)}; it is one of ${known}`,
    fix:
      suggestion === undefined
        ? { title: 'test `preferred_label` or your own key, or run with `--custom-outcomes`', edits: [] }
        : {
            title: `write \`${suggestion}\``,
            edits: [{ span, text: suggestion }],
            // A custom word of the author may look like an outcome.
            unsafe: synonym === undefined,
          },
  };
}
