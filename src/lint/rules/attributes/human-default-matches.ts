import { excerpt } from '../../../diagnostic/excerpt.js';
import { nodeAttribute } from '../../../graph/attributes.js';
import { describeChoice, gateChoices, matchChoice } from '../../../graph/choices.js';
import { handlerTypeOf } from '../../../graph/queries.js';
import { attributeOwners } from '../../attribute-owners.js';
import { listNames } from '../../list-names.js';
import type { LintRule } from '../../rule.js';

/** §6.5, SEMANTICS 56: the default of a human gate is one of its choices. */
export const humanDefaultMatches: LintRule = {
  name: 'human_default_matches',
  severity: 'warning',
  summary: 'The `human.default_choice` of a gate is one of its choices.',
  rationale:
    'When its `timeout` passes, a human gate takes its default choice: one of its outgoing edges, given by key, label, target or number. A default that matches none of them is ignored, so the gate fails if nobody answers in time.',
  provesAbsence: true,
  *apply(graph, { handlerTypes }) {
    for (const node of attributeOwners(graph).nodesWith('human.default_choice')) {
      const attribute = node.attributes.get('human.default_choice');
      const written = nodeAttribute(node, 'human.default_choice');
      if (attribute === undefined || written === '') continue;
      if (handlerTypeOf(graph, node, handlerTypes).type !== 'wait.human') continue;
      const choices = gateChoices(graph, node.id);
      if (choices.length === 0 || matchChoice(choices, written) !== undefined) continue;
      yield {
        message: `\`human.default_choice\` is ${excerpt(written)}, which is not a choice of ${excerpt(node.id)}; it offers ${listNames(choices.map(describeChoice))}`,
        span: attribute.valueSpan,
        nodeId: node.id,
        fix: { title: 'name a choice by its key, its label or its target', edits: [] },
      };
    }
  },
};
