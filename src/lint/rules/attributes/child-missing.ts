import { excerpt } from '../../../diagnostic/excerpt.js';
import { graphAttribute, nodeAttribute } from '../../../graph/attributes.js';
import type { Graph, Node } from '../../../graph/graph.js';
import { handlerTypeOf, nodesHandledBy } from '../../../graph/queries.js';
import { misspelt } from '../../misspelt.js';
import type { LintRule } from '../../rule.js';

/** §9.4, §4.11, SEMANTICS 64: a stage that runs another pipeline names it. */
export const childMissing: LintRule = {
  name: 'child_missing',
  severity: 'warning',
  summary: 'Every stage that runs another pipeline names its file.',
  rationale:
    'A stage with `type=pipeline` runs the file that `child` names; a manager loop supervises `child`, or the `stack.child_dotfile` of the graph. Without a file, the run fails at this stage, even if its failure has a route. Name the file, relative to the file that contains the node. A manager that supervises an external child sets `"stack.child_autostart"=false`.',
  provesAbsence: true,
  *apply(graph, { handlerTypes }) {
    for (const node of nodesHandledBy(graph, handlerTypes, ({ runsChild }) => runsChild)) {
      const { type } = handlerTypeOf(graph, node, handlerTypes);
      if (namesChild(graph, node, type)) continue;
      const [problem, how] =
        type === 'pipeline'
          ? ['has no pipeline to run', 'add `child="path/to/file.dot"`']
          : [
              'has no pipeline to supervise',
              'add `child="path/to/file.dot"`, or `"stack.child_dotfile"` to the graph',
            ];
      yield {
        message: `${excerpt(node.id)} ${problem}, so the run fails at this stage`,
        span: node.attributes.get('child')?.valueSpan ?? node.span,
        nodeId: node.id,
        fix: { title: how, edits: [] },
      };
    }
  },
};

function namesChild(graph: Graph, node: Node, type: string): boolean {
  if (nodeAttribute(node, 'child').trim() !== '' || misspelt(graph).nodeMeans(node, 'child')) return true;
  if (type === 'pipeline') return false;
  if (graphAttribute(graph, 'stack.child_dotfile').trim() !== '') return true;
  return !nodeAttribute(node, 'stack.child_autostart');
}
