import { excerpt } from '../../../diagnostic/excerpt.js';
import { coverageOf } from '../../conditions/coverage.js';
import { describeWitness } from '../../conditions/describe-witness.js';
import { expectedOutcomes } from '../../conditions/stage-outcomes.js';
import { stageWays } from '../../conditions/stage-ways.js';
import type { LintRule } from '../../rule.js';

/** SEMANTICS 22: a value that no condition mentions leaves a node without a route. */
export const noDefaultEdge: LintRule = {
  name: 'no_default_edge',
  severity: 'info',
  summary: 'Where every edge of a node has a condition, one of them holds whatever the context has.',
  rationale:
    'Conditions that name the words which a key may have leave no way on for any other: a model that answers in other words, a tool that prints a line break after the word, a key that nobody has set. The run then fails at this node. That may be what you want; if not, add an edge without a condition, which is taken where none of the others is. Also said where a condition cannot be decided in advance, because it searches by a pattern or compares keys with each other.',
  provesAbsence: true,
  *apply(graph, { handlerTypes }) {
    const expected = expectedOutcomes(graph, handlerTypes);
    for (const ways of stageWays(graph, handlerTypes).values()) {
      const { node, plain } = ways;
      if (plain.length > 0) continue;
      const coverage = coverageOf(ways, expected(node.id));
      if (coverage.kind === 'exhaustive' || coverage.kind === 'foreign') continue;
      if (coverage.kind === 'hole' && coverage.isMentioned) continue;
      const id = excerpt(node.id);
      const message =
        coverage.kind === 'hole'
          ? `no edge from ${id} is taken when ${describeWitness(coverage.witness)}`
          : `every edge from ${id} has a condition, and nothing shows that one of them always holds`;
      yield {
        message,
        span: node.node.span,
        nodeId: node.id,
        fix: { title: 'add an edge without a condition for all other cases', edits: [] },
      };
    }
  },
};
