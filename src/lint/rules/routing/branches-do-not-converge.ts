import { excerpt } from '../../../diagnostic/excerpt.js';
import { joinPoints } from '../../../graph/flow/join-points.js';
import { exitNodes, outgoingEdges } from '../../../graph/queries.js';
import type { LintRule } from '../../rule.js';

/** SEMANTICS 48: the branches of a parallel node should meet before the exit. */
export const branchesDoNotConverge: LintRule = {
  name: 'branches_do_not_converge',
  severity: 'warning',
  summary: 'The branches of a parallel node meet before the exit.',
  rationale:
    'The branches of a parallel node end where they meet, and the run continues there. If they only meet at the exit, the run ends there and their results are not used. Connect all of them to one stage, ideally a fan-in (`shape=tripleoctagon`).',
  provesAbsence: true,
  *apply(graph, { handlerTypes }) {
    const [exit] = exitNodes(graph);
    for (const [id, join] of joinPoints(graph, handlerTypes)) {
      const node = graph.nodes.get(id);
      const branches = outgoingEdges(graph, id);
      if (node === undefined || branches.length < 2 || join !== exit?.id) continue;
      yield {
        message: `the ${branches.length} branches of ${excerpt(id)} meet only at the exit ${excerpt(join)}`,
        span: node.span,
        nodeId: id,
        fix: { title: 'connect all branches to one stage before the exit', edits: [] },
      };
    }
  },
};
