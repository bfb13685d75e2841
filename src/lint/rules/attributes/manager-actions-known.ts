import { nearestName } from '../../../diagnostic/did-you-mean.js';
import { excerpt } from '../../../diagnostic/excerpt.js';
import { listWords } from '../../../graph/list-words.js';
import { isManagerAction, managerActions } from '../../../graph/manager-actions.js';
import { attributeOwners } from '../../attribute-owners.js';
import { distinctAttributes } from '../../distinct-attributes.js';
import { spanInside } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';

/** §4.11, SEMANTICS 64: an unknown word in `manager.actions` is ignored. */
export const managerActionsKnown: LintRule = {
  name: 'manager_actions_known',
  severity: 'warning',
  summary: 'Every word in `manager.actions` is an action.',
  rationale:
    'A manager loop can `observe` its child, `steer` it, and `wait` between cycles; separate the words with commas. Any other word is ignored, and a manager that does not observe never notices that its child has ended.',
  *apply(graph, { source }) {
    for (const { owner: node, attribute } of distinctAttributes(
      attributeOwners(graph).nodesWith('manager.actions'),
      'manager.actions',
    )) {
      for (const { word, span } of listWords(String(attribute.value))) {
        if (isManagerAction(word)) continue;
        const suggestion = nearestName(word, managerActions);
        const expected = managerActions.map((action) => `\`${action}\``).join(', ');
        yield {
          message: `${excerpt(word)} is not an action of a manager, so it is ignored; known actions: ${expected}`,
          span: spanInside(attribute, span, source),
          nodeId: node.id,
          fix: {
            title: suggestion === undefined ? 'remove it' : `write \`${suggestion}\``,
            edits: [],
          },
        };
      }
    }
  },
};
