import { excerpt } from '../../diagnostic/excerpt.js';
import { handlerTypeOf } from '../../graph/queries.js';
import { attributeOwners } from '../attribute-owners.js';
import { distinctAttributes } from '../distinct-attributes.js';
import { nameSuggester } from '../name-suggester.js';
import type { LintRule } from '../rule.js';

/** §7.2 `type_known`; what an unknown type falls back to: §4.2, SEMANTICS 43c. */
export const typeKnown: LintRule = {
  name: 'type_known',
  severity: 'warning',
  summary: 'The `type` of every node is a handler type.',
  rationale:
    'A node whose `type` has no handler is run by the handler of its shape instead, and a box is then an LLM stage. Correct the type; one that your own program registers must be named to the linter by that program.',
  *apply(graph, { handlerTypes }) {
    const suggest = nameSuggester(handlerTypes);
    for (const { owner: node, attribute } of distinctAttributes(
      attributeOwners(graph).nodesWith('type'),
      'type',
    )) {
      const type = String(attribute.value);
      if (type === '' || handlerTypes.has(type)) continue;
      const suggestion = suggest(type);
      const meant = suggestion === undefined ? '' : ` (did you mean ${excerpt(suggestion)}?)`;
      yield {
        message: `${excerpt(type)} is no handler type${meant}; the node is run as \`${handlerTypeOf(graph, node, handlerTypes).type}\` instead`,
        span: attribute.valueSpan,
        nodeId: node.id,
        fix: {
          title:
            suggestion === undefined
              ? `use one of ${[...handlerTypes].map((known) => `\`${known}\``).join(', ')}`
              : `write \`${suggestion}\``,
          edits: [],
        },
      };
    }
  },
};
