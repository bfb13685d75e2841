// A lint rule: a tool that uses the network must have the class `network`, so that a reviewer sees it.
//
//   attractor lint examples/plugins/pipeline.dot --plugin ./examples/plugins/lint-rule.mjs

import { definePlugin } from 'attractor-dot';

export default definePlugin({
  name: 'house-rules',
  rules: [
    {
      name: 'network_is_marked',
      severity: 'warning',
      summary: 'Every tool that uses the network has the class `network`.',
      // Yields findings in any order. A graph may have mistakes in it: other rules report those.
      *apply(graph) {
        for (const node of graph.nodes.values()) {
          const command = node.attributes.get('tool_command');
          if (!/\b(?:curl|wget)\b/.test(String(command?.value ?? ''))) continue;
          if (node.classes.includes('network')) continue;
          yield {
            message: `"${node.id}" uses the network, but lacks the class "network"`,
            span: command.valueSpan,
            nodeId: node.id,
            fix: { title: 'add `class=network`', edits: [] },
          };
        }
      },
    },
  ],
});
