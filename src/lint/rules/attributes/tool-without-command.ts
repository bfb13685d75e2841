import { excerpt } from '../../../diagnostic/excerpt.js';
import { nodeAttribute } from '../../../graph/attributes.js';
import { nodesHandledBy } from '../../../graph/queries.js';
import { misspelt } from '../../misspelt.js';
import type { LintRule } from '../../rule.js';

/** §4.10: a tool stage without a command fails whenever it runs. */
export const toolWithoutCommand: LintRule = {
  name: 'tool_without_command',
  severity: 'warning',
  summary: 'Every tool has a `tool_command`.',
  rationale:
    'A tool stage (`shape=parallelogram`) runs its `tool_command`. Without one it always fails, except in a simulation. Add the command, or change the shape.',
  provesAbsence: true,
  *apply(graph, { handlerTypes }) {
    for (const node of nodesHandledBy(graph, handlerTypes, ({ type }) => type === 'tool')) {
      if (nodeAttribute(node, 'tool_command').trim() !== '') continue;
      if (misspelt(graph).nodeMeans(node, 'tool_command')) continue;
      yield {
        message: `tool ${excerpt(node.id)} has no \`tool_command\`, so it always fails`,
        span: node.attributes.get('tool_command')?.valueSpan ?? node.span,
        nodeId: node.id,
        fix: { title: 'add `tool_command="…"`', edits: [] },
      };
    }
  },
};
