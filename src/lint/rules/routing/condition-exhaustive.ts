import { excerpt } from '../../../diagnostic/excerpt.js';
import { coverageOf } from '../../conditions/coverage.js';
import { describeWitness } from '../../conditions/describe-witness.js';
import { expectedOutcomes } from '../../conditions/stage-outcomes.js';
import { stageWays } from '../../conditions/stage-ways.js';
import type { LintRule } from '../../rule.js';

/** SEMANTICS 22: where no condition holds, the run fails. */
export const conditionExhaustive: LintRule = {
  name: 'condition_exhaustive',
  severity: 'warning',
  summary:
    'Where every edge of a node has a condition, one of them holds in each case that the conditions speak of.',
  rationale:
    'A node whose edges all have conditions fails the run when none of them holds. The rule looks for values with which that happens: statuses that the stage comes to, the words and numbers that the conditions name, and the numbers between them. It finds the `5` that `context.n < 5` and `context.n > 5` leave out, and the success that nobody waits for. Lead an edge on for that case, or one without a condition for all the others. A failure that no edge waits for is not a hole: it ends the run with its own reason. That a key may hold something that no condition names, or nothing, is what `no_default_edge` speaks of.',
  provesAbsence: true,
  *apply(graph, { handlerTypes }) {
    const expected = expectedOutcomes(graph, handlerTypes);
    for (const ways of stageWays(graph, handlerTypes).values()) {
      const { node, plain } = ways;
      if (plain.length > 0) continue;
      const coverage = coverageOf(ways, expected(node.id));
      if (coverage.kind !== 'hole' || !coverage.isMentioned) continue;
      yield {
        message: `no edge from ${excerpt(node.id)} is taken when ${describeWitness(coverage.witness)}`,
        span: node.node.span,
        nodeId: node.id,
        fix: {
          title: 'add an edge for this case, or one without a condition for all other cases',
          edits: [],
        },
      };
    }
  },
};
