import { exitNodes } from '../../../graph/queries.js';
import { exactlyOneNode } from '../../exactly-one-node.js';
import type { LintRule } from '../../rule.js';

/** §7.2 `terminal_node`; exactly one by §2.8 and §11.2 (SEMANTICS 39). */
export const terminalNode: LintRule = {
  name: 'terminal_node',
  severity: 'error',
  fixable: true,
  summary: 'A pipeline has exactly one exit node.',
  rationale:
    'A run ends at the exit node, where the goal gates are checked. The exit is the node with `shape=Msquare` or `type=exit`; if there is none, the node called `exit` or `end`. Connect every ending to the same exit; the journal records which path was taken.',
  provesAbsence: true,
  apply: (graph) =>
    exactlyOneNode(graph, exitNodes(graph), { title: 'exit', shape: 'Msquare', ids: ['exit', 'end'] }),
};
