import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { graphAttribute, nodeAttribute } from '../../src/graph/attributes.js';
import { pipeline } from '../run/harness.js';

describe('11.12: simple pipelines', () => {
  test('a chain is its nodes and the edges between them', () => {
    const { graph, diagnostics } = compile(
      'digraph G { start [shape=Mdiamond]; done [shape=Msquare]; A [prompt=x]; B [prompt=x]; start -> A -> B -> done }',
    );
    expect(diagnostics).toEqual([]);
    expect([...graph.nodes.keys()]).toEqual(['start', 'done', 'A', 'B']);
    expect(graph.edges.map(({ from, to }) => `${from} ${to}`)).toEqual(['start A', 'A B', 'B done']);
  });

  test('the graph has attributes of its own, by either notation', () => {
    const { graph } = compile(pipeline('graph [goal="Ship it"]', 'label="The pipeline"', 'start -> exit'));
    expect([graphAttribute(graph, 'goal'), graphAttribute(graph, 'label')]).toEqual([
      'Ship it',
      'The pipeline',
    ]);
  });

  test('attributes may go over several lines', () => {
    const { graph, diagnostics } = compile(
      pipeline('A [\n  label="First",\n  prompt="Do\nit",\n  max_retries=2\n]', 'start -> A -> exit'),
    );
    const A = graph.nodes.get('A');
    if (A === undefined) throw new Error('there is no node A');
    expect(diagnostics).toEqual([]);
    expect([nodeAttribute(A, 'label'), nodeAttribute(A, 'prompt'), nodeAttribute(A, 'max_retries')]).toEqual([
      ...['First', 'Do\nit', 2],
    ]);
  });
});
