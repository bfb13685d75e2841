import { excerpt } from '../../../diagnostic/excerpt.js';
import { edgeAttribute } from '../../../graph/attributes.js';
import { nodesHandledBy, outgoingEdges } from '../../../graph/queries.js';
import { hasOwnRule } from '../../../graph/values/own-rules.js';
import { routingInDoubt } from '../../routing-in-doubt.js';
import type { LintRule } from '../../rule.js';

/** SEMANTICS 80: the purpose of a diamond is to test conditions. */
export const conditionalWithoutConditions: LintRule = {
  name: 'conditional_without_conditions',
  severity: 'warning',
  summary: 'At least one edge of a diamond has a condition.',
  rationale:
    'A diamond only chooses among its edges by their conditions. Without conditions it chooses by the preferred label of the previous stage, or by weight and name; and an incoming failure ends the run, because no edge of the diamond handles it. Add conditions to its edges, such as `condition="outcome=success"`; a label such as `Yes` is not a condition. If there is nothing to choose, remove the diamond, unless it is there to set values by `assign.*`.',
  *apply(graph, { handlerTypes }) {
    for (const node of nodesHandledBy(graph, handlerTypes, ({ inheritsOutcome }) => inheritsOutcome)) {
      const edges = outgoingEdges(graph, node.id);
      if (edges.length === 0 || edges.some((edge) => edgeAttribute(edge, 'condition').trim() !== ''))
        continue;
      if (routingInDoubt(graph).has(node.id)) continue;
      // One that only sets values needs nothing to choose from.
      if (edges.length === 1 && hasOwnRule(node)) continue;
      const problem =
        edges.length === 1
          ? 'its only edge has no condition, so there is nothing to choose'
          : `none of its ${edges.length} edges has a condition, so the previous outcome has no effect`;
      yield {
        message: `${excerpt(node.id)} is a diamond, but ${problem}`,
        span: node.span,
        nodeId: node.id,
        fix: { title: 'add conditions to its edges, or remove it', edits: [] },
      };
    }
  },
};
