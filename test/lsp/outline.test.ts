import { describe, expect, it } from 'vitest';
import { documentSymbols, flatSymbols, matchesQuery } from '../../src/lsp/services/document-symbols.js';
import { foldingRanges } from '../../src/lsp/services/folding-ranges.js';
import { selectionRanges } from '../../src/lsp/services/selection-ranges.js';
import { PipelineText } from '../../src/lsp/services/text/pipeline-text.js';
import { atCursor } from './cursor.js';

describe('the outline', () => {
  it('has the pipeline, its subgraphs and each node where it is declared first', () => {
    const text = `digraph G { graph [goal="Ship"]; start [shape=Mdiamond]
      subgraph work { label="The work"; fix; test [shape=parallelogram] }
      subgraph { label="Rest"; done [shape=Msquare]; fix } start -> fix -> implicit }`;
    const lines = (symbols: ReturnType<typeof documentSymbols>, depth = 0): string[] =>
      symbols.flatMap(({ kind, name, detail, children }) => [
        `${'  '.repeat(depth)}${kind} ${name}: ${detail}`,
        ...lines(children, depth + 1),
      ]);
    expect(lines(documentSymbols(new PipelineText('main.dot', text)))).toEqual([
      'pipeline G: Ship',
      '  node start: Start',
      '  subgraph work: The work',
      '    node fix: LLM stage',
      '    node test: Tool',
      '  subgraph Rest: Rest',
      '    node done: Exit',
    ]);
  });

  it('has every name inside the part that it names', () => {
    const symbols = flatSymbols(
      documentSymbols(new PipelineText('main.dot', 'digraph G { subgraph { a } b }')),
    );
    for (const { span, nameSpan } of symbols) {
      expect(nameSpan.start).toBeGreaterThanOrEqual(span.start);
      expect(nameSpan.end).toBeLessThanOrEqual(span.end);
    }
  });

  it.each([
    ['review_code', 'rvc', true],
    ['review_code', 'RC', true],
    ['review_code', 'cr', false],
    ['a', '', true],
  ])('finds %s by %s: %s', (name, query, found) => {
    expect(matchesQuery(name, query)).toBe(found);
  });

  it('is empty without a pipeline', () => {
    expect(documentSymbols(new PipelineText('main.dot', 'nothing'))).toEqual([]);
  });
});

describe('folds', () => {
  it('are statements, texts and comments of several lines', () => {
    const text =
      '// one\n// two\n\n// three\ndigraph G {\n  a [\n    prompt="x\ny"\n  ]\n  b\n  subgraph s {\n    c\n  }\n  /* long\n  */\n}\n';
    const pipeline = new PipelineText('main.dot', text);
    const shown = foldingRanges(pipeline).map(({ span, kind }) => {
      const [start, end] = [span.start, span.end].map((offset) => pipeline.source.positionAt(offset).line);
      return `${kind} ${start}-${end}`;
    });
    expect(shown.toSorted()).toEqual([
      'comment 1-2',
      'comment 14-15',
      'region 11-13',
      'region 5-16',
      'region 6-9',
      'region 7-8',
    ]);
  });
});

describe('growing selections', () => {
  it.each([
    [
      'a value in a prompt',
      'digraph G { a [prompt="Do ${stages.bu<|>ild.output} now"]; build }',
      [
        'build',
        'Do ${stages.build.output} now',
        '"Do ${stages.build.output} now"',
        'prompt="Do ${stages.build.output} now"',
      ],
    ],
    ['an id', 'digraph G { a -> b<|>ig -> c }', ['big', 'a -> big -> c', 'digraph G { a -> big -> c }']],
  ])('from %s', (_name, marked, expected) => {
    const { pipeline, offset } = atCursor(marked);
    const texts = selectionRanges(pipeline, offset).map(({ start, end }) => pipeline.text.slice(start, end));
    expect(texts.slice(0, expected.length)).toEqual(expected);
    expect(texts.at(-1)).toBe(pipeline.text);
  });
});
