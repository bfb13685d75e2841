import { describe, expect, test } from 'vitest';
import { toMermaid } from '../../src/render/mermaid.js';
import type { RunOverlay } from '../../src/render/run-overlay.js';
import { fc } from '../support/fast-check.js';
import { buildGraph, type GraphData } from './build-graph.js';

const lines = (data: GraphData, overlay?: RunOverlay) =>
  toMermaid(buildGraph(data), overlay === undefined ? {} : { overlay })
    .split('\n')
    .map((line) => line.trim());

test.each([
  ['an LLM stage', { shape: 'box' }, 'n0("n")'],
  ['a person', { shape: 'hexagon' }, 'n0{{"n"}}'],
  ['a decision', { shape: 'diamond' }, 'n0{"n"}'],
  ['a tool', { shape: 'parallelogram' }, 'n0[/"n"/]'],
  ['branches', { shape: 'component' }, 'n0[["n"]]'],
  ['a goal gate', { goal_gate: true }, 'n0("n<br/>#40;goal gate#41;")'],
])('the shape tells %s', (_, attributes, expected) => {
  expect(lines({ nodes: [['n', attributes]] })).toContain(expected);
});

test('edges say their label and condition, restarts are dotted, undeclared ends are named', () => {
  const found = lines({
    nodes: [['a'], ['b']],
    edges: [
      ['a', 'b', { label: 'Yes', condition: 'outcome=success' }],
      ['b', 'a', { loop_restart: true }],
      ['a', 'nowhere'],
    ],
  });
  expect(found).toEqual(
    expect.arrayContaining([
      'n0 -->|"Yes<br/>outcome#61;success"| n1',
      'n1 -.-> n0',
      'n0 --> n2',
      'n2["nowhere<br/>not declared"]',
    ]),
  );
});

test('subgraphs are boxes', () => {
  const found = lines({ nodes: [['a']], subgraphs: [{ attributes: { label: 'end' }, nodeIds: ['a'] }] });
  const start = found.indexOf('subgraph c0["end"]');
  expect(found.slice(start, start + 3)).toEqual(['subgraph c0["end"]', 'n0("a")', 'end']);
});

test('a run shows states, visits, the path and jumps', () => {
  const overlay: RunOverlay = {
    caption: 'run 1',
    nodes: new Map([['a', { state: 'failed', visits: 3, words: 'failed' }]]),
    edges: new Map([[0, 2]]),
    jumps: [{ from: 'b', to: 'a', reason: 'retry_target', count: 2 }],
  };
  const data: GraphData = {
    name: 'G',
    nodes: [['a'], ['b']],
    edges: [
      ['a', 'b'],
      ['b', 'a'],
    ],
  };
  expect(lines(data, overlay)).toEqual(
    expect.arrayContaining([
      'title: "G (run 1)"',
      'n0("a<br/>failed · 3 ×")',
      'n0 -->|"2 ×"| n1',
      'n1 -.->|"retry target<br/>2 ×"| n0',
      'class n0 is_failed',
      'class n1 is_unreached',
      'linkStyle 0,2 stroke:#2f3b4c,stroke-width:3px',
    ]),
  );
});

describe('texts of the author', () => {
  test('mean nothing to Mermaid', () => {
    const label = '"] --> x; %%{init}%% `b` <i>#quot;</i> end style a:#b;';
    const [line = ''] = lines({ nodes: [['n', { label }]] }).filter((one) => one.startsWith('n0('));
    expect(line.replaceAll(/#\d+;|<br\/>/g, '')).toMatch(/^n0\("[\w ]*"\)$/);
  });

  test('end no label, whatever they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const found = lines({ nodes: [['n', { label: text }]], edges: [['n', 'n', { label: text }]] });
        for (const line of found.filter((one) => one.startsWith('n0'))) {
          expect(line).toMatch(/^n0(\("[^"`%{}|]*"\)| -->(\|"[^"`%{}|]*"\|)? n0)$/);
        }
      }),
    );
  });
});
