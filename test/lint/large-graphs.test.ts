import { describe, expect, it } from 'vitest';
import { compile } from '../../src/compiler/compile.js';

/** Graphs of which rules give up what would take them too long; all else is still said of them. */
const cases = [
  {
    title: 'a human gate with more choices than anybody reads',
    statements: gate(200),
    rules: ['dead_edge', 'read_before_write', 'read_before_write'],
  },
  {
    title: 'parallel nodes in one another, deeper than anybody nests them',
    rules: [],
    statements: [
      'start -> p0',
      ...upTo(150, (index) => {
        const inner = index < 149 ? `p${index + 1}` : 'leaf';
        const behind = index === 0 ? 'exit' : `j${index - 1}`;
        return `p${index} [shape=component]; a${index} [prompt="Work."]; j${index} [shape=tripleoctagon]
          p${index} -> a${index} -> j${index}; p${index} -> ${inner}; j${index} -> ${behind}`;
      }),
      'leaf [prompt="Work."]',
      'leaf -> j149',
    ],
  },
  {
    title: 'a node with very many edges, of which each has a weight',
    rules: [],
    statements: [
      'hub [prompt="Choose."]',
      'start -> hub',
      ...upTo(
        5000,
        (index) => `n${index} [prompt="Work."]; hub -> n${index} [weight=${index}]; n${index} -> exit`,
      ),
    ],
  },
];

/** The condition of its first edge never holds. */
function gate(choices: number): readonly string[] {
  return [
    'hub [shape=hexagon, label="Where to?"]',
    'start -> hub',
    'hub -> n0 [label="choice 0", condition="context.x=1 && context.x=2"]',
    ...upTo(
      choices,
      (index) => `n${index} [prompt="Work."]; hub -> n${index} [label="choice ${index}"]; n${index} -> exit`,
    ),
  ];
}

function upTo(count: number, line: (index: number) => string): readonly string[] {
  return Array.from({ length: count }, (_, index) => line(index));
}

function findingsOf(statements: readonly string[]) {
  const text = `digraph G {\nstart [shape=Mdiamond]\nexit [shape=Msquare]\n${statements.join('\n')}\n}`;
  return compile(text).diagnostics.map(({ rule }) => rule);
}

describe('lint of graphs that are large', () => {
  it.each(cases)('says nothing false of $title', ({ statements, rules }) => {
    expect(findingsOf(statements)).toEqual(rules);
  });
});
