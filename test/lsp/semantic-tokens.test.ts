import { describe, expect, it } from 'vitest';
import { semanticTokens } from '../../src/lsp/services/semantic-tokens.js';
import { PipelineText } from '../../src/lsp/services/text/pipeline-text.js';
import { fc } from '../support/fast-check.js';

function tokensOf(text: string): readonly string[] {
  return semanticTokens(new PipelineText('main.dot', text)).map(
    ({ span, type, isDeclaration }) =>
      `${text.slice(span.start, span.end)}: ${type}${isDeclaration ? '!' : ''}`,
  );
}

describe('semantic tokens', () => {
  it.each([
    [
      'names by what they name',
      'digraph G { fix [class="deep"]; start -> fix }',
      [
        'digraph: keyword',
        'G: namespace!',
        'fix: function!',
        'class: property',
        '": string',
        'deep: class!',
        '": string',
        'start: function',
        'fix: function',
      ],
    ],
    [
      'conditions',
      'digraph G { a -> b [condition="outcome=fail && context.n >= 2 && exists x"] }',
      [
        'outcome: variable',
        '=: operator',
        'fail: enumMember',
        '&&: operator',
        'n: variable',
        '>=: operator',
        '2: number',
        'exists: keyword',
        'x: variable',
      ],
    ],
    [
      'stylesheets',
      'digraph G { graph [model_stylesheet="#a { llm_model: gpt-5; } .b { }"]; a }',
      ['a: function', 'llm_model: property', 'gpt-5: enumMember', 'b: class'],
    ],
    [
      'commands',
      'digraph G { a [tool_command="if true; then echo $HOME \'$x\' | grep ${stages.b.output}; fi"]; b }',
      [
        'if: keyword',
        'then: keyword',
        '$HOME: variable',
        '|: operator',
        '${stages.: variable',
        'b: function',
        'fi: keyword',
      ],
    ],
    [
      'lists of keys',
      'digraph G { a [writes="plan: list, n"] }',
      ['plan: variable', 'list: variable', 'n: variable'],
    ],
    [
      'properties',
      'digraph G { graph ["check.x"="never more than 3 a"]; a }',
      ['never: keyword', 'more than: keyword', '3: number', 'a: function'],
    ],
    ['comments and numbers', 'digraph G { // hi\n a [max_retries=3] }', ['// hi: comment', '3: number']],
  ])('colour %s', (_name, text, expected) => {
    const found = tokensOf(text);
    let from = 0;
    for (const one of expected) {
      const at = found.indexOf(one, from);
      expect(at, `${one} in ${found.slice(from).join(' · ')}`).toBeGreaterThanOrEqual(0);
      from = at + 1;
    }
  });

  it('never overlap, and are in the order of the text', () => {
    const piece = fc.constantFrom(
      'a',
      ' ',
      '[',
      ']',
      '=',
      '"',
      '${context.a}',
      'prompt',
      '->',
      '{',
      '}',
      ';',
      'condition="a=b && c"',
      'digraph G {',
      '\n',
      '// x\n',
      'subgraph',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        let end = 0;
        for (const { span } of semanticTokens(
          new PipelineText('main.dot', `digraph G {${pieces.join('')}`),
        )) {
          expect(span.start).toBeGreaterThanOrEqual(end);
          expect(span.end).toBeGreaterThan(span.start);
          end = span.end;
        }
      }),
    );
  });
});
