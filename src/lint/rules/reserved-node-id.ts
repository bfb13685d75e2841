import { excerpt } from '../../diagnostic/excerpt.js';
import type { LintRule } from '../rule.js';

/** The names in a run directory that a node id can spell; the others contain a dot or a hyphen. */
const reservedIds: readonly string[] = ['artifacts', 'lock'];

/** SEMANTICS 71: every stage has a directory called after its node, next to the files of the run itself (§5.6). */
export const reservedNodeId: LintRule = {
  name: 'reserved_node_id',
  severity: 'error',
  summary: 'No node is called like something else in the run directory.',
  rationale:
    'A run keeps the files of every stage in a directory called after the node. `artifacts` and `lock` are names that the run directory needs itself, so that a stage of that name would write among the artifacts or over the lock. Give the node another id; its `label` may stay.',
  *apply(graph) {
    for (const id of reservedIds) {
      const node = graph.nodes.get(id);
      if (node === undefined) continue;
      yield {
        message: `a node cannot be called ${excerpt(id)}: the run directory has its own ${id === 'lock' ? 'file' : 'directory'} of that name`,
        span: node.span,
        nodeId: id,
        fix: { title: `rename it, for example to \`${id}_stage\``, edits: [] },
      };
    }
  },
};
