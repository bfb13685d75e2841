import { expect, test } from 'vitest';
import type { Graph } from '../../src/graph/graph.js';
import { applyTransforms, builtInTransforms, type TransformLike } from '../../src/transforms/index.js';
import { attributesOf, frozenGraph } from './frozen-graph.js';

function rename(suffix: string): (graph: Graph) => Graph {
  return (graph) => ({ ...graph, name: graph.name + suffix });
}

test('47d: transforms run in their order, each on the result of the one before', () => {
  const transforms: readonly TransformLike[] = [
    { name: 'first', apply: rename('1') },
    { transform: rename('2') },
    { name: 'third', transform: rename('3') },
  ];
  expect(applyTransforms(frozenGraph({}), transforms).name).toBe('G123');
});

test('a transform written as a class keeps its state', () => {
  class Suffix {
    readonly name = 'suffix';
    readonly #suffix = '!';
    apply(graph: Graph): Graph {
      return rename(this.#suffix)(graph);
    }
  }
  expect(applyTransforms(frozenGraph({}), [new Suffix()]).name).toBe('G!');
});

test('one that returns nothing is named', () => {
  const forgetful = { name: 'forgetful', apply: () => undefined } as unknown as TransformLike;
  expect(() => applyTransforms(frozenGraph({}), [forgetful])).toThrow(
    'transform "forgetful" returned no graph',
  );
});

test('a transform that edits its input is caught by these tests', () => {
  const edit = (graph: Graph): Graph => {
    (graph.nodes as Map<string, unknown>).clear();
    return graph;
  };
  expect(() => applyTransforms(frozenGraph({}), [{ name: 'edit', apply: edit }])).toThrow('frozen');
});

test('§8.6: the built-in transforms leave the graph that they are given as it was', () => {
  const graph = frozenGraph({
    attributes: {
      goal: 'Implement feature X',
      model_stylesheet: `
        * { llm_model: claude-sonnet-4-5; llm_provider: anthropic; }
        .code { llm_model: claude-opus-4-6; llm_provider: anthropic; }
        #critical_review { llm_model: gpt-5.2; llm_provider: openai; reasoning_effort: high; }`,
    },
    nodes: {
      plan: { prompt: 'Plan: $goal' },
      implement: {},
      critical_review: {},
    },
    classes: { plan: ['planning'], implement: ['code'], critical_review: ['code'] },
  });
  const result = applyTransforms(graph, builtInTransforms);
  expect(attributesOf(result, 'plan')).toEqual([
    'prompt=Plan: Implement feature X (transform)',
    'llm_model=claude-sonnet-4-5 (stylesheet)',
    'llm_provider=anthropic (stylesheet)',
  ]);
  expect(attributesOf(result, 'implement')).toContain('llm_model=claude-opus-4-6 (stylesheet)');
  expect(attributesOf(result, 'critical_review')).toEqual([
    'llm_model=gpt-5.2 (stylesheet)',
    'llm_provider=openai (stylesheet)',
    'reasoning_effort=high (stylesheet)',
  ]);
  expect(attributesOf(graph, 'plan')).toEqual(['prompt=Plan: $goal (explicit)']);
});
