import type { Diagnostic } from '../../../diagnostic/diagnostic.js';
import { nearestName } from '../../../diagnostic/did-you-mean.js';
import { excerpt } from '../../../diagnostic/excerpt.js';
import type { SourceText } from '../../../diagnostic/source.js';
import type { Attribute } from '../../../graph/graph.js';
import { conditionOf, nodeConditionOf, nodeConditions } from '../../../graph/queries.js';
import { stageStatuses } from '../../../graph/stage-status.js';
import type { Condition, LiteralOperand } from '../../../parser/condition/ast.js';
import { attributeOwners } from '../../attribute-owners.js';
import { conditionSet } from '../../conditions/condition-set.js';
import { isNever } from '../../conditions/is-never.js';
import { distinctAttributes } from '../../distinct-attributes.js';
import { findingsInside, valueSpanOf } from '../../findings-inside.js';
import type { Finding, LintRule } from '../../rule.js';
import { statusMeant } from '../../status-meant.js';
import { strayOutcomes } from '../../stray-outcomes.js';

/** SEMANTICS 44g, 103: a condition compares an outcome with a word that it never is. */
export const outcomeKnown: LintRule = {
  name: 'outcome_known',
  severity: 'warning',
  fixable: true,
  summary: 'A condition compares `outcome` with one of the five outcomes.',
  rationale:
    'The outcome of a stage is success, partial_success, retry, fail or skipped. An edge that tests for another word is never taken, and one that tests for its negation always is. To route by your own words, let the stage choose an edge by its label (`preferred_label`), or set a context key and test that. With `attractor run --custom-outcomes`, other words are allowed: they count as success, and edges can test them. `fail_when` only applies to successes and `retry_when` to failures, so a test for any other outcome never holds there.',
  *apply(graph, { source }) {
    const edges = attributeOwners(graph).edgesWith('condition');
    for (const { owner, attribute } of distinctAttributes(edges, 'condition')) {
      for (const finding of strayFindings(attribute, conditionOf(owner).condition, source)) {
        yield { ...finding, edge: [owner.from, owner.to] };
      }
    }
    for (const name of nodeConditions) {
      const nodes = attributeOwners(graph).nodesWith(name);
      for (const { owner, attribute } of distinctAttributes(nodes, name)) {
        const { condition } = nodeConditionOf(owner, name);
        const stray = strayFindings(attribute, condition, source);
        for (const finding of stray) yield { ...finding, nodeId: owner.id };
        const never = stray.length > 0 || condition === undefined ? undefined : whyNever(name, condition);
        if (never !== undefined) yield { ...never, span: valueSpanOf(attribute, source), nodeId: owner.id };
      }
    }
  },
};

function strayFindings(
  attribute: Attribute,
  condition: Condition | undefined,
  source: SourceText,
): readonly Finding[] {
  const unknown = condition === undefined ? [] : strayOutcomes(condition);
  return findingsInside(attribute, unknown.map(unknownOutcome), source);
}

/** Outcomes that these conditions judge (SEMANTICS 103). */
const judgement: Partial<Record<(typeof nodeConditions)[number], ReadonlySet<string>>> = {
  fail_when: new Set(['success', 'partial_success']),
  retry_when: new Set(['fail']),
};

/** Reason why a condition never holds, although it would after another outcome. */
function whyNever(
  name: (typeof nodeConditions)[number],
  condition: Condition,
): Omit<Finding, 'span'> | undefined {
  const outcomes = judgement[name];
  const set = conditionSet([condition], new Map());
  const [formula] = set?.formulas ?? [];
  if (outcomes === undefined || set === undefined || formula === undefined) return undefined;
  const statuses = new Set<string>(stageStatuses);
  if (!isNever(set, formula, outcomes) || isNever(set, formula, statuses)) return undefined;
  const status = name === 'fail_when' ? 'a success' : 'a failure';
  return {
    message: `this \`${name}\` never holds, because it only applies to ${status}`,
    fix: { title: 'test something other than the outcome, or remove it', edits: [] },
  };
}

function unknownOutcome({ value, span }: LiteralOperand): Diagnostic {
  const synonym = statusMeant(value);
  const suggestion = synonym ?? nearestName(value, stageStatuses);
  const expected = stageStatuses.map((outcome) => `\`${outcome}\``).join(', ');
  return {
    rule: 'outcome_known',
    severity: 'warning',
    span,
    message: `${excerpt(value)} is not an outcome; expected one of ${expected}`,
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
