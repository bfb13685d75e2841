import type { Diagnostic } from '../../diagnostic/diagnostic.js';
import { nearestName } from '../../diagnostic/did-you-mean.js';
import { excerpt } from '../../diagnostic/excerpt.js';
import { conditionOf } from '../../graph/queries.js';
import { stageStatuses } from '../../graph/stage-status.js';
import type { Condition, Operand } from '../../parser/condition/ast.js';
import { clausesOf } from '../../parser/condition/clauses-of.js';
import type { Clause } from '../../parser/condition/print.js';
import { attributeOwners } from '../attribute-owners.js';
import { distinctAttributes } from '../distinct-attributes.js';
import { findingsInside } from '../findings-inside.js';
import type { LintRule } from '../rule.js';
import { statusMeant } from '../status-meant.js';

const knownOutcomes: ReadonlySet<string> = new Set(stageStatuses);

/** SEMANTICS 44g: a condition compares `outcome` with a word that no outcome can be. */
export const outcomeKnown: LintRule = {
  name: 'outcome_known',
  severity: 'warning',
  fixable: true,
  summary: 'A condition compares `outcome` with one of the five outcomes.',
  rationale:
    'The outcome of a stage is success, partial_success, retry, fail or skipped. An edge that waits for another word is never taken, and its negation always is. To route on words of your own, let the stage choose an edge by its label (`preferred_label`), or set a context key and test that. `attractor run --custom-outcomes` takes such words for successes, and routes by them.',
  *apply(graph, { source }) {
    for (const { owner, attribute } of distinctAttributes(
      attributeOwners(graph).edgesWith('condition'),
      'condition',
    )) {
      const { condition } = conditionOf(owner);
      if (condition === undefined) continue;
      const unknown = comparedOutcomes(condition).filter(({ value }) => !knownOutcomes.has(value));
      for (const finding of findingsInside(attribute, unknown.map(unknownOutcome), source)) {
        yield { ...finding, edge: [owner.from, owner.to] };
      }
    }
  },
};

function unknownOutcome({ value, span }: Literal): Diagnostic {
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
        ? { title: 'test `preferred_label` or a key of your own, or run with `--custom-outcomes`', edits: [] }
        : {
            title: `write \`${suggestion}\``,
            edits: [{ span, text: suggestion }],
            // Another word of the author's own may look like an outcome.
            ...(synonym === undefined && { unsafe: true as const }),
          },
  };
}

type Literal = Extract<Operand, { kind: 'literal' }>;

/** The literals that `outcome` is compared with, wherever they stand in a condition. */
function comparedOutcomes(condition: Condition): readonly Literal[] {
  return clausesOf(condition).flatMap(literalsOf);
}

function literalsOf(clause: Clause): readonly Literal[] {
  if (clause.kind !== 'comparison') return [];
  const { operator, left, right } = clause;
  const comparesWhole = operator === '=' || operator === '!=' || operator === 'in' || operator === 'not in';
  if (!comparesWhole || left.kind !== 'key' || left.path !== 'outcome') return [];
  const operands = right.kind === 'list' ? right.items : [right];
  return operands.filter((operand): operand is Literal => operand.kind === 'literal');
}
