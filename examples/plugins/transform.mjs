// A transform: every tool without a `timeout` gets one. Transforms run after the built-in ones and before lint.
//
//   attractor parse examples/plugins/pipeline.dot --plugin ./examples/plugins/transform.mjs

import { definePlugin } from 'attractor-dot';

const timeout = { milliseconds: 600_000, text: '10m' };

export default definePlugin({
  name: 'house-limits',
  transforms: [
    {
      name: 'default_tool_timeout',
      // Returns a new graph, and does not change the given one.
      apply(graph) {
        const nodes = new Map([...graph.nodes].map(([id, node]) => [id, withTimeout(node)]));
        return { ...graph, nodes };
      },
    },
  ],
});

function withTimeout(node) {
  const command = node.attributes.get('tool_command');
  if (command === undefined || node.attributes.has('timeout')) return node;
  // The spans say where in the text a message about the new attribute should point.
  const { keySpan, valueSpan } = command;
  const attribute = { name: 'timeout', value: timeout, origin: 'transform', keySpan, valueSpan };
  return { ...node, attributes: new Map(node.attributes).set('timeout', attribute) };
}
