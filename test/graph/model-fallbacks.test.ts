import { expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { fallbackEntries, modelFallbacks, nameOfModel } from '../../src/graph/model-choice.js';

/** The fallbacks of the node `work`, in words. */
function fallbacksOf(ofGraph: string, ofNode: string): readonly string[] {
  const text = `digraph { graph [${ofGraph}] start [shape=Mdiamond] work [prompt=x, class=c, ${ofNode}] done [shape=Msquare] start -> work -> done }`;
  const { graph } = compile(text);
  const node = graph?.nodes.get('work');
  if (graph === undefined || node === undefined) throw new Error('it compiles');
  return modelFallbacks(graph, node).map(nameOfModel);
}

test.each<readonly [what: string, ofGraph: string, ofNode: string, expected: readonly string[]]>([
  ['without any', '', '', []],
  [
    'of the node',
    'llm_fallback="openai/a"',
    'llm_fallback="google/b, ollama/c:7b"',
    ['google/b', 'ollama/c:7b'],
  ],
  [
    'of the stylesheet',
    'llm_fallback="openai/a", model_stylesheet=".c { llm_fallback: google/b, x/y; }"',
    '',
    ['google/b', 'x/y'],
  ],
  ['of the graph', 'llm_fallback="openai/a"', '', ['openai/a']],
  [
    'an empty one leaves it to the graph, as that of a model does',
    'llm_fallback="openai/a"',
    'llm_fallback=""',
    ['openai/a'],
  ],
  ['a model with slashes', '', 'llm_fallback="openrouter/meta/llama"', ['openrouter/meta/llama']],
  ['a provider in capitals', '', 'llm_fallback="OpenAI/GPT"', ['openai/GPT']],
  ['each once', '', 'llm_fallback="a/b, a/c, a/b"', ['a/b', 'a/c']],
  ['without what cannot be read', '', 'llm_fallback="a/b, c, /d, e/, f g/h,, i/j"', ['a/b', 'i/j']],
])('the fallbacks of a stage: %s', (_what, ofGraph, ofNode, expected) => {
  expect(fallbacksOf(ofGraph, ofNode)).toEqual(expected);
});

test('every entry has its position', () => {
  const list = ' openai/gpt-5.2 ,,  ollama/x ';
  expect(fallbackEntries(list).map(({ text, span }) => [text, list.slice(span.start, span.end)])).toEqual([
    ['openai/gpt-5.2', 'openai/gpt-5.2'],
    ['', ''],
    ['ollama/x', 'ollama/x'],
  ]);
  expect(fallbackEntries('  ')).toEqual([]);
});
