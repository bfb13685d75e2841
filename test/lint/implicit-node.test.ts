import { expect, it } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { fc } from '../support/fast-check.js';
import { applyEdits } from './apply-edits.js';

function implicitNodes(text: string) {
  return compile(text).diagnostics.filter(({ rule }) => rule === 'implicit_node');
}

function fixed(text: string): string {
  return applyEdits(
    text,
    implicitNodes(text).flatMap(({ fix }) => fix?.edits ?? []),
  );
}

it.each([
  [
    'on a line of its own, in front of the whole chain',
    'digraph G {\n    start ->\n        plan -> work -> exit\n}',
    'digraph G {\n    plan\n    work\n    start ->\n        plan -> work -> exit\n}',
  ],
  [
    'on the line of the statement, where it shares one',
    'digraph G { start -> exit; start -> plan -> exit }',
    'digraph G { start -> exit; plan; start -> plan -> exit }',
  ],
  [
    'in the scope of the first mention',
    'digraph G {\n  subgraph {\n    node [prompt="Do it"]\n    start -> plan\n  }\n  plan -> exit\n}',
    'digraph G {\n  subgraph {\n    node [prompt="Do it"]\n    plan\n    start -> plan\n  }\n  plan -> exit\n}',
  ],
])('declares the node %s', (_, before, after) => {
  expect(fixed(before)).toBe(after);
});

it('declares every node, and changes nothing else', () => {
  const id = fc.constantFrom('start', 'a', 'b', 'c', 'd', 'exit');
  const chain = fc.array(id, { minLength: 2, maxLength: 4 }).map((chain) => chain.join(' -> '));
  const statement = fc.oneof(
    chain,
    chain.map((text) => `subgraph { node [shape=diamond]; ${text} }`),
    fc.constant('node [shape=hexagon]'),
    id.map((name) => `${name} [label="x"]`),
  );
  const separator = fc.constantFrom('\n', ';', ' ;\n\t', '\n  ');
  const text = fc
    .array(fc.tuple(statement, separator), { maxLength: 8 })
    .map((parts) => `digraph G {\n${parts.map((part) => part.join('')).join('')}}`);
  fc.assert(
    fc.property(text, (before) => {
      const after = fixed(before);
      expect(implicitNodes(after)).toEqual([]);
      expect(outline(after)).toEqual(outline(before));
    }),
  );
});

function outline(text: string) {
  const { graph } = compile(text);
  const nodes = [...graph.nodes.values()].map((node) => [
    node.id,
    [...node.attributes].map(([name, { value }]) => [name, value]),
    node.classes,
    node.subgraph,
  ]);
  return { nodes: nodes.sort(), edges: graph.edges.map(({ from, to }) => [from, to]) };
}
