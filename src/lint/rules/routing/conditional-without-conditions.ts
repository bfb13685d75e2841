import { excerpt } from '../../../diagnostic/excerpt.js';
import { edgeAttribute } from '../../../graph/attributes.js';
import { nodesHandledBy, outgoingEdges } from '../../../graph/queries.js';
import type { LintRule } from '../../rule.js';
import { waysInDoubt } from '../../ways-in-doubt.js';

/** SEMANTICS 80: the purpose of a diamond is to test conditions. */
export const conditionalWithoutConditions: LintRule = {
  name: 'conditional_without_conditions',
  severity: 'warning',
  summary: 'At least one edge of a diamond has a condition.',
  rationale:
    'A diamond does nothing but choose among its edges by their conditions. One without conditions chooses by the label that the stage before it preferred, or by weight and name; and a failure that comes in ends the run, because no edge of the diamond waits for it. Write conditions on its edges, such as `condition="outcome=success"`; a label such as `Yes` is not one. If nothing is to be chosen, leave the diamond out.',
  *apply(graph, { handlerTypes }) {
    for (const node of nodesHandledBy(graph, handlerTypes, ({ inheritsOutcome }) => inheritsOutcome)) {
      const edges = outgoingEdges(graph, node.id);
      if (edges.length === 0 || edges.some((edge) => edgeAttribute(edge, 'condition').trim() !== ''))
        continue;
      if (waysInDoubt(graph).has(node.id)) continue;
      const what =
        edges.length === 1
          ? 'its only edge has no condition, so there is nothing to choose'
          : `none of its ${edges.length} edges has a condition, so the outcome before it decides nothing`;
      yield {
        message: `${excerpt(node.id)} is a diamond, but ${what}`,
        span: node.span,
        nodeId: node.id,
        fix: { title: 'write conditions on its edges, or leave it out', edits: [] },
      };
    }
  },
};
