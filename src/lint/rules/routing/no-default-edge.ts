import { excerpt } from '../../../diagnostic/excerpt.js';
import { coverageOf } from '../../conditions/coverage.js';
import { declaredRanges } from '../../conditions/declared-ranges.js';
import { describeWitness } from '../../conditions/describe-witness.js';
import { stageEdges } from '../../conditions/stage-edges.js';
import { expectedOutcomes } from '../../conditions/stage-outcomes.js';
import type { LintRule } from '../../rule.js';

/** SEMANTICS 22: a value that no condition mentions leaves a node without a route. */
export const noDefaultEdge: LintRule = {
  name: 'no_default_edge',
  severity: 'info',
  summary: 'If every edge of a node has a condition, one of them holds for any context.',
  rationale:
    'Conditions that list the expected values of a key have no edge for any other value: a model that uses other words, a tool that prints a line break, a key that is not set. The run then fails at this node. If you do not want that, add an edge without a condition, which is taken if no condition holds. The rule also reports conditions that lint cannot decide, because they match a pattern or compare keys with each other.',
  provesAbsence: true,
  *apply(graph, { handlerTypes }) {
    const expected = expectedOutcomes(graph, handlerTypes);
    for (const stage of stageEdges(graph, handlerTypes).values()) {
      const { node, plain: unconditional } = stage;
      if (unconditional.length > 0) continue;
      const outcomes = expected(node.id);
      const declared = declaredRanges(graph, stage, handlerTypes);
      const coverage = coverageOf(stage, outcomes, declared);
      if (coverage.kind === 'exhaustive' || coverage.kind === 'foreign') continue;
      if (coverage.kind === 'hole' && coverage.isMentioned) continue;
      const id = excerpt(node.id);
      const message =
        coverage.kind === 'hole'
          ? `no edge from ${id} is taken when ${describeWitness(coverage.witness)}`
          : `every edge from ${id} has a condition, and it is not certain that one of them holds`;
      yield {
        message,
        span: node.node.span,
        nodeId: node.id,
        fix: { title: 'add an edge without a condition for all other cases', edits: [] },
      };
    }
  },
};
