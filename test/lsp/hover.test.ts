import { describe, expect, it } from 'vitest';
import { attributeNames } from '../../src/graph/attributes.js';
import { hoverAt } from '../../src/lsp/services/hover/hover-at.js';
import { PipelineText } from '../../src/lsp/services/text/pipeline-text.js';
import { atCursor } from './cursor.js';

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
