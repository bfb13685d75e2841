import { excerpt } from '../../../diagnostic/excerpt.js';
import type { Node } from '../../../graph/graph.js';
import type { LintRule } from '../../rule.js';

/** SEMANTICS 71, 92: some file systems do not distinguish upper and lower case. */
export const idCaseCollision: LintRule = {
  name: 'id_case_collision',
  severity: 'warning',
  summary: 'No two nodes have ids that differ only in case.',
  rationale:
    "Every stage has a directory named after its node. On the default file systems of macOS and Windows, `Review` and `review` are the same directory, so the two stages overwrite each other's files. Often one id is a typo for the other. Use one id, or two that differ in their letters.",
  *apply(graph) {
    const byLowerCase = new Map<string, Node>();
    const mixed = new Set<string>();
    for (const id of graph.nodes.keys()) if (id !== id.toLowerCase()) mixed.add(id.toLowerCase());
    if (mixed.size === 0) return;
    for (const node of graph.nodes.values()) {
      const key = node.id.toLowerCase();
      if (!mixed.has(key)) continue;
      const first = byLowerCase.get(key);
      if (first === undefined) {
        byLowerCase.set(key, node);
        continue;
      }
      yield {
        message: `${excerpt(node.id)} and ${excerpt(first.id)} are two nodes whose ids differ only in case`,
        span: node.span,
        nodeId: node.id,
        related: [{ span: first.span, message: `${excerpt(first.id)} is here` }],
        fix: {
          title: `write ${excerpt(first.id)} if the same node is meant, or rename one of the two`,
          edits: [],
        },
      };
    }
  },
};
