import { startNodes } from '../../../graph/queries.js';
import { exactlyOneNode } from '../../exactly-one-node.js';
import type { LintRule } from '../../rule.js';

/** §7.2 `start_node`; SEMANTICS 41 defines the start. */
export const startNode: LintRule = {
  name: 'start_node',
  severity: 'error',
  fixable: true,
  summary: 'A pipeline has exactly one start node.',
  rationale:
    'A run begins at the start node, so there must be exactly one. It is the node with `shape=Mdiamond` or `type=start`; if there is none, the node called `start` or `Start`.',
  provesAbsence: true,
  apply: (graph) =>
    exactlyOneNode(graph, startNodes(graph), { title: 'start', shape: 'Mdiamond', ids: ['start', 'Start'] }),
};
