import { excerpt } from '../../../diagnostic/excerpt.js';
import { describeWitness } from '../../conditions/describe-witness.js';
import { holesOf } from '../../flow/holes.js';
import type { LintRule } from '../../rule.js';

/** SEMANTICS 22: where no condition holds, the run fails. */
export const conditionExhaustive: LintRule = {
  name: 'condition_exhaustive',
  severity: 'warning',
  summary: 'If every edge of a node has a condition, they cover all cases that they mention.',
  rationale:
    'If all edges of a node have conditions and none of them holds, the run fails. The rule looks for values that cause this: possible statuses of the stage, the words and numbers in the conditions, and the numbers between them. It finds the `5` that `context.n < 5` and `context.n > 5` omit, and a success that no edge handles. Add an edge for that case, or one without a condition for all other cases. An unhandled failure is not reported: it ends the run with its own reason. For keys with values that no condition mentions, or without a value, see `no_default_edge`.',
  provesAbsence: true,
  followsFlow: true,
  *apply(graph, { handlerTypes }) {
    for (const [id, coverage] of holesOf(graph, handlerTypes)) {
      if (coverage.kind !== 'hole' || !coverage.isMentioned) continue;
      yield {
        message: `no edge from ${excerpt(id)} is taken when ${describeWitness(coverage.witness)}`,
        span: graph.nodes.get(id)?.span ?? graph.nameSpan,
        nodeId: id,
        ...coverage.proof,
        fix: {
          title: 'add an edge for this case, or one without a condition for all other cases',
          edits: [],
        },
      };
    }
  },
};
