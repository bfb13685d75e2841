import { excerpt } from '../../diagnostic/excerpt.js';
import { joinOf } from '../../graph/parallel.js';
import { exitNodes, handlerTypeOf, outgoingEdges } from '../../graph/queries.js';
import type { LintRule } from '../rule.js';

/** SEMANTICS 48: the branches of a parallel node should meet before the exit. */
export const branchesDoNotConverge: LintRule = {
  name: 'branches_do_not_converge',
  severity: 'warning',
  summary: 'The branches of a parallel node meet before the exit.',
  rationale:
    'The branches of a parallel node end where they meet, and the run goes on there. Branches that meet nowhere else end at the exit, and with them the run: nothing is made of their results. Lead all of them to one stage, best to a fan-in (`shape=tripleoctagon`).',
  provesAbsence: true,
  *apply(graph, { handlerTypes }) {
    const [exit, ...others] = exitNodes(graph);
    if (exit === undefined || others.length > 0) return;
    const nodes = [...graph.nodes.values()].map((node) => ({
      node,
      handler: handlerTypeOf(graph, node, handlerTypes),
    }));
    const fanIns = new Set(nodes.filter(({ handler }) => handler.joins).map(({ node }) => node.id));
    for (const { node, handler } of nodes) {
      const branches = outgoingEdges(graph, node.id);
      if (!handler.forks || branches.length < 2) continue;
      if (joinOf(graph, node.id, branches, fanIns, exit.id) !== exit.id) continue;
      yield {
        message: `the ${branches.length} branches of ${excerpt(node.id)} meet only at the exit ${excerpt(exit.id)}`,
        span: node.span,
        nodeId: node.id,
        fix: { title: 'lead all branches to one stage before the exit', edits: [] },
      };
    }
  },
};
