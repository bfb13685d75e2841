import { describe, expect, it } from 'vitest';
import { completeAt } from '../../src/lsp/services/completion/complete.js';
import { atCursor } from './cursor.js';

// The same in every editor: what the tables of the language have; `<|>` is the cursor.

function labels(marked: string): readonly string[] {
  const { pipeline, offset } = atCursor(marked);
  return completeAt(pipeline, offset)?.suggestions.map(({ label }) => label) ?? [];
}

/** What stands in the text once the suggestion of that name is taken. */
function taken(marked: string, label: string): string {
  const { pipeline, offset } = atCursor(marked);
  const { text } = pipeline;
  const found = completeAt(pipeline, offset);
  const suggestion = found?.suggestions.find((one) => one.label === label);
  if (found === undefined || suggestion === undefined) return 'nothing';
  return text.slice(0, found.from) + (suggestion.insert ?? suggestion.label) + text.slice(offset);
}

describe('completion', () => {
  it.each([
    ['attributes of a node', 'digraph G { a [<|>] }', ['prompt', 'max_retries'], ['goal', 'condition']],
    ['attributes of an edge', 'digraph G { a -> b [<|>] }', ['condition', 'weight'], ['prompt', 'goal']],
    ['attributes of a chain', 'digraph G { a -> b -> c [label=x, <|>', ['condition'], ['label', 'prompt']],
    ['attributes of the graph', 'digraph G { graph [go<|>]', ['goal'], ['condition', 'prompt']],
    ['defaults of nodes', 'digraph G { node [<|>', ['shape'], ['goal']],
    ['defaults of edges', 'digraph G { edge [<|>', ['weight'], ['prompt']],
    ['only what is not there yet', 'digraph G { a [prompt="x", <|>]', ['label'], ['prompt']],
    ['shapes', 'digraph G { a [shape=<|>]', ['hexagon', 'Mdiamond'], ['wait.human']],
    ['handler types', 'digraph G { a [type="<|>"]', ['wait.human', 'tool'], ['hexagon']],
    ['words of an attribute', 'digraph G { a [retry_policy=<|>]', ['patient'], ['true']],
    ['truth', 'digraph G { a [goal_gate=<|>]', ['true', 'false'], []],
    ['nodes after an arrow', 'digraph G { first; second; first -> <|>', ['first', 'second'], ['G', 'goal']],
    ['nodes that a target names', 'digraph G { a [label=x]; b [retry_target=<|>]', ['a', 'b'], ['x']],
    ['statements', 'digraph G { a; <|>', ['node', 'a', 'goal'], ['prompt', 'condition']],
    [
      'keys of a condition',
      'digraph G { a -> b [condition="<|>"]',
      ['outcome', 'context.tool.output'],
      ['goal'],
    ],
    [
      'keys after another',
      'digraph G { a -> b [condition="outcome=success && con<|>"]',
      ['context.last_response'],
      [],
    ],
    ['outcomes', 'digraph G { a -> b [condition="outcome!=<|>"]', ['success', 'fail'], ['outcome']],
    [
      'keys that other conditions use',
      'digraph G { a -> b [condition="context.tests.red > 1"]; b -> c [condition="<|>"]',
      ['context.tests.red'],
      [],
    ],
    ['100: types in a list of keys', 'digraph G { a [writes="plan, n: <|>"]', ['integer', 'map'], ['plan']],
    [
      '100: keys that other stages write, each once',
      'digraph G { a [writes="plan, verdict: string", "assign.seen"=1]; b [reads="plan, <|>"] }'.replace(
        'pass|fail',
        'pass',
      ),
      ['seen'],
      ['plan'],
    ],
    [
      '101: inputs in a command',
      'digraph G { graph [inputs="files: list"]; a [tool_command="x ${inputs.<|>}"] }',
      ['files'],
      ['goal'],
    ],
    [
      '101: inputs in a condition',
      'digraph G { graph [inputs="files: list"]; a -> b [condition="inputs.<|>"] }',
      ['files'],
      ['outcome'],
    ],
    [
      '104: stages in a condition',
      'digraph G { fix; a -> b [condition="stages.<|>"] }',
      ['fix', 'a'],
      ['outcome'],
    ],
    [
      '104: what a stage says',
      'digraph G { fix [prompt="x ${stages.a.no<|>}"]; a }',
      ['notes', 'visits'],
      ['a'],
    ],
    [
      '102: keys in a prompt',
      'digraph G { a [writes="plan: string"]; b [prompt="Do ${context.<|>}"] }',
      ['plan', 'tool.json'],
      [],
    ],
    ['roots of values', 'digraph G { b [prompt="Do ${<|>}"] }', ['inputs', 'stages'], ['prompt']],
    ['103: keys in fail_when', 'digraph G { a [fail_when="<|>"] }', ['outcome', 'stages'], ['prompt']],
    [
      '101: words of an input',
      'digraph G { a -> b [condition="inputs.mode=<|>"]; graph [inputs="mode: low|high, flag: boolean"] }',
      ['low', 'high'],
      ['success'],
    ],
  ])('offers %s', (_name, text, some, none) => {
    const found = labels(text);
    expect(found).toEqual(expect.arrayContaining(some));
    expect(found.filter((label) => none.includes(label))).toEqual([]);
  });

  it.each([
    ['a line comment', 'digraph G { // <|>'],
    ['a block comment', 'digraph G { /* <|> */ }'],
    ['a text', 'digraph G { a [prompt="Do <|>"] }'],
    ['what is before the pipeline', 'di<|>'],
    ['after a text', 'digraph G { a [prompt="x"<|>] }'],
    ['a comparison of what nobody knows', 'digraph G { a -> b [condition="context.x=<|>"]'],
  ])('offers nothing in %s', (_name, text) => {
    expect(labels(text)).toEqual([]);
  });

  it.each([
    ['digraph G { a [ma<|>] }', 'max_retries', 'digraph G { a [max_retries=] }'],
    ['digraph G { a [type=<|>] }', 'wait.human', 'digraph G { a [type="wait.human"] }'],
    ['digraph G { a [type="wa<|>"] }', 'wait.human', 'digraph G { a [type="wait.human"] }'],
    [
      'digraph G { a -> b [condition="outcome=su<|>"] }',
      'success',
      'digraph G { a -> b [condition="outcome=success"] }',
    ],
    ['digraph G { a -> b [condition="out<|>"] }', 'outcome', 'digraph G { a -> b [condition="outcome="] }'],
    [
      'digraph G { a [writes="test-result: string"]; b [prompt="Of ${context.test-r<|>}"] }',
      'test-result',
      'digraph G { a [writes="test-result: string"]; b [prompt="Of ${context.test-result}"] }',
    ],
    [
      'digraph G { a -> b [condition="inputs.run-mode=f<|>"]; graph [inputs="run-mode: boolean"] }',
      'false',
      'digraph G { a -> b [condition="inputs.run-mode=false"]; graph [inputs="run-mode: boolean"] }',
    ],
    ['digraph G { one; two; one -> t<|>', 'two', 'digraph G { one; two; one -> two'],
    ['digraph G { a-><|>', 'a', 'digraph G { a->a'],
  ])('writes into %s', (text, label, expected) => {
    expect(taken(text, label)).toBe(expected);
  });

  it('explains what it offers', () => {
    const { pipeline, offset } = atCursor('digraph G { a [<|>] }');
    const offered = completeAt(pipeline, offset)?.suggestions ?? [];
    expect(offered.length).toBeGreaterThan(20);
    expect(offered.filter(({ info }) => info === undefined)).toEqual([]);
  });
});
