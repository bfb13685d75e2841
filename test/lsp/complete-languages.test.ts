import { describe, expect, it } from 'vitest';
import { completeAt } from '../../src/lsp/services/completion/complete.js';
import { workspaceAt } from './cursor.js';

function labels(texts: Readonly<Record<string, string>>): readonly string[] {
  const { pipeline, offset, neighbours } = workspaceAt(texts);
  const facts = {
    models: [{ label: 'claude-x', kind: 'model' as const }],
    files: (path: string) => ['sub/', 'fix.md'].filter((name) => name.startsWith(path)),
  };
  return completeAt(pipeline, offset, facts, neighbours)?.suggestions.map(({ label }) => label) ?? [];
}

describe('completion', () => {
  it.each([
    [
      'only attributes that a tool reads',
      'digraph G { a [shape=parallelogram, <|>] }',
      ['tool_command', 'timeout'],
      ['prompt', 'foreach'],
    ],
    [
      'those of a gate',
      'digraph G { a [shape=hexagon, <|>] }',
      ['human.default_choice', 'prompt'],
      ['tool_command'],
    ],
    [
      'selectors in a stylesheet',
      'digraph G { graph [model_stylesheet="<|>"]; fix [class="deep"] }',
      ['*', '#fix', '.deep', 'box'],
      ['llm_model'],
    ],
    [
      'nodes after a hash',
      'digraph G { graph [model_stylesheet="#<|>"]; fix [class="deep"] }',
      ['#fix'],
      ['.deep', 'box'],
    ],
    [
      'properties in a block',
      'digraph G { graph [model_stylesheet="* { llm_model: x; <|>"]; fix }',
      ['reasoning_effort', 'llm_provider'],
      ['#fix'],
    ],
    [
      'models in a block',
      'digraph G { graph [model_stylesheet="* { llm_model: <|>"]; fix [llm_model="own"] }',
      ['own', 'claude-x'],
      ['llm_model'],
    ],
    [
      'efforts in a block',
      'digraph G { graph [model_stylesheet="* { reasoning_effort: <|>"]',
      ['high', 'low'],
      [],
    ],
    ['models of nodes', 'digraph G { a [llm_model="<|>"] }', ['claude-x'], []],
    [
      'classes',
      'digraph G { graph [model_stylesheet=".deep { llm_model: m }"]; a [class="fast, <|>"] }',
      ['deep'],
      [],
    ],
    [
      'operators after a key',
      'digraph G { a -> b [condition="context.x <|>"] }',
      ['=', 'contains', 'in', 'matches'],
      ['&&', 'outcome'],
    ],
    [
      'operators that are begun',
      'digraph G { a -> b [condition="context.x con<|>"] }',
      ['contains'],
      ['in', 'outcome'],
    ],
    [
      'connectives after a comparison',
      'digraph G { a -> b [condition="outcome=fail <|>"] }',
      ['&&'],
      ['success'],
    ],
    [
      'connectives after a number',
      'digraph G { a -> b [condition="context.n > 3 <|>"] }',
      ['&&', '||'],
      ['='],
    ],
    ['connectives after exists', 'digraph G { a -> b [condition="exists x <|>"] }', ['&&'], ['=']],
    [
      'keys after a connective',
      'digraph G { a [writes="plan"]; a -> b [condition="context.n > 3 && <|>"] }',
      ['outcome', 'context.plan'],
      ['='],
    ],
    [
      'labels of edges',
      'digraph G { a -> b [label="Ship it"]; a -> c [condition="preferred_label=<|>"] }',
      ['Ship it'],
      ['success'],
    ],
    [
      'custom outcomes',
      'digraph G { a -> b [condition="outcome=flaky"]; b -> c [condition="outcome=<|>"] }',
      ['flaky', 'fail'],
      [],
    ],
    [
      'words and stages in a property',
      'digraph G { graph ["check.x"="<|>"]; publish }',
      ['never', 'publish', 'LLM stages'],
      [],
    ],
    [
      'classes in a property',
      'digraph G { graph ["check.x"="never class <|>"]; a [class="deploy"] }',
      ['deploy'],
      ['never', 'a'],
    ],
    [
      'choices of a gate',
      'digraph G { gate [shape=hexagon, "human.default_choice"="<|>"]; gate -> yes [label="[Y] Yes"] }',
      ['[Y] Yes', 'yes'],
      [],
    ],
    ['files', 'digraph G { a [prompt_file="f<|>"] }', ['fix.md'], ['sub/']],
  ])('offers %s', (_name, text, some, none) => {
    const found = labels({ 'main.dot': text });
    expect(found).toEqual(expect.arrayContaining(some));
    expect(found.filter((label) => none.includes(label))).toEqual([]);
  });

  it('offers the inputs of a child as parameters', () => {
    const found = labels({
      'main.dot': 'digraph G { run [type=pipeline, child="c.dot", <|>] }',
      'c.dot': 'digraph C { graph [inputs="files: list, mode"] }',
    });
    expect(found.slice(0, 2)).toEqual(['params.files', 'params.mode']);
  });
});
