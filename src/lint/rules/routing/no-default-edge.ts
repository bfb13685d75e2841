import { excerpt } from '../../../diagnostic/excerpt.js';
import { describeWitness } from '../../conditions/describe-witness.js';
import { holesOf } from '../../flow/holes.js';
import type { LintRule } from '../../rule.js';

/** SEMANTICS 22: a value that no condition mentions leaves a node without a route. */
export const noDefaultEdge: LintRule = {
  name: 'no_default_edge',
  severity: 'info',
  summary: 'If every edge of a node has a condition, one of them holds for any context.',
  rationale:
    'Conditions that list the expected values of a key have no edge for any other value: a model that uses other words, a tool that prints a line break, a key that is not set. The run then fails at this node. If you do not want that, add an edge without a condition, which is taken if no condition holds. The rule also reports conditions that lint cannot decide, because they match a pattern or compare keys with each other.',
  provesAbsence: true,
  followsFlow: true,
  *apply(graph, { handlerTypes }) {
    for (const [nodeId, coverage] of holesOf(graph, handlerTypes)) {
      if (coverage.kind === 'exhaustive' || coverage.kind === 'foreign') continue;
      if (coverage.kind === 'hole' && coverage.isMentioned) continue;
      const id = excerpt(nodeId);
      const when = coverage.kind === 'hole' ? describeWitness(coverage.witness) : coverage.shown;
      const message =
        when !== undefined
          ? `no edge from ${id} is taken when ${when}`
          : `every edge from ${id} has a condition, and it is not certain that one of them holds`;
      yield {
        message,
        span: graph.nodes.get(nodeId)?.span ?? graph.nameSpan,
        nodeId,
        ...coverage.proof,
        fix: { title: 'add an edge without a condition for all other cases', edits: [] },
      };
    }
  },
};
