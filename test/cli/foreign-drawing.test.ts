import { expect, test } from 'vitest';
import { isForeignDrawing } from '../../src/cli/foreign-drawing.js';

test.each<[isForeign: boolean, what: string, text: string]>([
  [
    true,
    'dependencies',
    'digraph deps { node [shape=box]; "main.c" -> libc [color=red, weight=2, label="start"]; }',
  ],
  [true, 'an undirected graph', 'graph G { a -- b; }'],
  [
    true,
    'words of ours in strings and comments',
    'digraph { a [label="prompt=x exit"] // start -> end\n/* prompt="x" */ }',
  ],
  [false, 'a start node', 'digraph { start -> a }'],
  [false, 'a shape of a start node', 'digraph { a [shape="Mdiamond"] }'],
  [false, 'a stage', 'digraph { a [prompt = "Do it"] }'],
  [false, 'a condition', 'digraph { a -> b [condition="outcome=fail"] }'],
  [false, 'a broken pipeline', 'digraph { a [tool_command="make" label="x] }'],
  [false, 'an empty text', ''],
  [false, 'no graph at all', 'hello {{ it.name }}'],
])('%s for %s', (isForeign, _, text) => {
  expect(isForeignDrawing(text)).toBe(isForeign);
});
