import { describe, expect, it } from 'vitest';
import { attributeNames } from '../../src/graph/attributes.js';
import { hoverAt } from '../../src/lsp/services/hover/hover-at.js';
import { PipelineText } from '../../src/lsp/services/text/pipeline-text.js';
import { atCursor, workspaceAt } from './cursor.js';

describe('hovering', () => {
  it.each(['node', 'edge', 'graph'] as const)(
    'names no section of a specification for attributes of a %s',
    (owner) => {
      for (const name of attributeNames(owner).filter((one) => /^\w+$/.test(one))) {
        const text = {
          node: `digraph G { a [${name}=1] }`,
          edge: `digraph G { a -> b [${name}=1] }`,
          graph: `digraph G { graph [${name}=1] }`,
        }[owner];
        const hover = hoverAt(new PipelineText('main.dot', text), text.indexOf(`[${name}`) + 1);
        expect(hover?.text).not.toMatch(/§|SEMANTICS|undefined/);
        expect(hover?.text).toBeTruthy();
      }
    },
  );

  it.each([
    [
      'digraph G { a [ma<|>x_retries=2] }',
      'max_retries (node, integer)',
      'Number of attempts that may follow',
    ],
    ['digraph G { g<|>oal="x" }', 'goal (graph, string)', 'Purpose of the pipeline'],
    ['digraph G { a -> b [weig<|>ht=2] }', 'weight (edge', ''],
    ['digraph G { a [shape=hex<|>agon] }', 'Human gate', 'Waits until a person'],
    ['digraph G { a [type="to<|>ol"] }', 'Tool', ''],
    [
      'digraph G { a [prompt="x ${inputs.li<|>mit}"]; graph [inputs="limit: integer = 3"] }',
      'inputs.limit',
      'An input of this pipeline: an integer, by default 3',
    ],
    [
      'digraph G { a -> b [condition="context.ver<|>dict=pass"]; a [writes="verdict: pass|fail"] }',
      'context.verdict',
      'A key that a stage writes: one of pass, fail',
    ],
  ])('explains %s', (text, title, words) => {
    const { pipeline, offset } = atCursor(text);
    const hover = hoverAt(pipeline, offset);
    expect(hover?.title).toContain(title);
    expect(hover?.text).toContain(words);
  });

  it.each(['digraph G { a [prompt="ma<|>x"] }', 'digraph G { a [nothing<|>=2] }', '<|>'])(
    'says nothing of %s',
    (text) => {
      const { pipeline, offset } = atCursor(text);
      expect(hoverAt(pipeline, offset)).toBeUndefined();
    },
  );
});

describe('hovering over names', () => {
  const text = `digraph G {
  graph [llm_model="base", inputs="files: list", model_stylesheet=".deep { llm_model: big; reasoning_effort: low }"]
  start [shape=Mdiamond]; done [shape=Msquare]
  plan [class="deep", writes="steps: list", max_retries=2]
  test [shape=parallelogram, tool_command="x \${context.steps}"]
  start -> plan -> test
  test -> done [condition="outcome=success && exists steps"]
  test -> plan [condition="outcome=fail"]
}`;

  function hoverOn(words: string) {
    const { pipeline, offset } = atCursor(text.replace(words, `${words}<|>`));
    const hover = hoverAt(pipeline, offset, { models: [{ label: 'big', kind: 'model', info: 'Costs $1.' }] });
    return hover && [hover.title, hover.text, ...(hover.details ?? [])].join('\n');
  }

  it.each([
    [
      'a node: its model and where it is from',
      '  plan',
      'Model: big (from the stylesheet), reasoning effort low',
    ],
    ['a node: its classes', '  plan', 'Classes: deep'],
    ['a node: where control comes from', '  plan', 'Comes from: start, test'],
    ['a node: where control goes', '  test', 'On fail: -> plan, because outcome=fail'],
    ['a node: its attempts', '  plan', 'up to 3 attempts'],
    ['a key: who writes it', 'context.steps', 'Written by: plan'],
    ['a key: who reads it', 'writes="steps', 'Read by: test, test -> done'],
    ['an input', 'inputs="files', 'An input of this pipeline: a list'],
    ['a class', 'class="deep', 'Class of plan.'],
    ['a model', 'llm_model: big', 'Costs $1.\nUsed by: plan'],
    ['a key of the engine', 'condition="outcome', 'The status of the outcome'],
  ])('explains %s', (_name, words, expected) => {
    expect(hoverOn(words)).toContain(expected);
  });

  it('explains a rule in a comment', () => {
    const { pipeline, offset } = atCursor(
      'digraph G {\n// attractor-disable-next-line dead_<|>edge\na -> b }',
    );
    expect(hoverAt(pipeline, offset)).toMatchObject({
      title: 'dead_edge (rule, warning)',
      text: 'Every edge can be taken.',
    });
  });

  it('explains a child and a prompt', () => {
    const { pipeline, offset, neighbours } = workspaceAt({
      'main.dot': 'digraph G { a [type=pipeline, child="c.<|>dot"] }',
      'c.dot': 'digraph C { graph [goal="Sort", inputs="files: list"]; x }',
    });
    expect(hoverAt(pipeline, offset, {}, neighbours)).toMatchObject({
      title: 'c.dot (pipeline C, 1 nodes)',
      text: 'Sort',
      details: ['Input files: a list'],
    });
  });
});
