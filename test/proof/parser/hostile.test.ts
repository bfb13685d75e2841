import { describe, expect, test } from 'vitest';
import { parseDot } from '../../../src/parser/dot/parse.js';

/** The codes of the findings, each once. */
function codes(text: string): readonly (string | undefined)[] {
  return [...new Set(parseDot(text).diagnostics.map(({ code }) => code))].sort();
}

const inGraph = (body: string) => `digraph G { ${body} }`;

describe('input that overflows or stalls other parsers', () => {
  test.each([
    [
      '100 000 nested braces',
      `digraph G {${'{'.repeat(100_000)}`,
      ['anonymous_block', 'nesting_limit', 'too_many_errors'],
    ],
    [
      '100 000 nested subgraphs',
      inGraph('subgraph s {'.repeat(100_000) + '}'.repeat(100_000)),
      ['nesting_limit'],
    ],
    ['100 000 open subgraphs', `digraph G {${'subgraph s {'.repeat(100_000)}`, ['nesting_limit']],
    [
      '100 000 missing commas in a block',
      inGraph(`a [${'x=1 '.repeat(100_000)}]`),
      ['missing_comma', 'too_many_errors'],
    ],
    [
      '100 000 blocks without a comma',
      inGraph('a [x=1 y=2]\n'.repeat(100_000)),
      ['missing_comma', 'too_many_errors'],
    ],
    ['100 000 missing values', inGraph('a [x=]\n'.repeat(100_000)), ['missing_value', 'too_many_errors']],
    [
      '100 000 attribute blocks',
      inGraph(`a ${'[x=1]'.repeat(100_000)}`),
      ['multiple_attribute_blocks', 'too_many_errors'],
    ],
    ['30 000 open comments', `digraph G {${'/* '.repeat(30_000)}`, ['unterminated_comment']],
    ['30 000 open HTML strings', inGraph('x=< '.repeat(30_000)), ['html_string']],
    ['30 000 open blocks', inGraph('a['.repeat(30_000)), ['too_many_errors', 'unclosed_bracket']],
    ['100 000 quotes', inGraph('"'.repeat(99_999)), ['quoted_id', 'too_many_errors', 'unterminated_string']],
    ['a word of 10 MB', inGraph(`x=${'a'.repeat(10_000_000)}%`), ['unquoted_value']],
    ['an id of 10 MB with hyphens', inGraph(`${'a-'.repeat(5_000_000)}é`), ['non_ascii_id']],
    [
      'an open string before 100 000 nodes',
      `digraph G { a [x="y]\n${'b [x="y"]\n'.repeat(100_000)} }`,
      ['unterminated_string'],
    ],
    ['100 000 signs', inGraph('@ '.repeat(100_000)), ['too_many_errors', 'unexpected_character']],
    ['100 000 tildes', inGraph('~'.repeat(100_000)), ['too_many_errors', 'unexpected_character']],
    ['a value of 100 000 words', inGraph(`a [x=${'a '.repeat(100_000)}]`), ['unquoted_value']],
    ['a chain of a million edges', inGraph(`a${' -> a'.repeat(1_000_000)}`), ['size_limit']],
    ['600 000 nodes', inGraph('a\n'.repeat(600_000)), ['size_limit']],
    ['10 MB without an end', `digraph G { a [x="${'y'.repeat(10_000_000)}`, ['unterminated_string']],
  ])('%s', (_, text, expected) => expect(codes(text)).toEqual(expected));
});

test('500 000 statements and edges are read, what follows is one error and dropped', () => {
  const chained = (edges: number) => `digraph G { x; a${' -> a'.repeat(edges)}\n b; c }`;
  expect(parseDot(chained(499_997)).diagnostics).toEqual([]);
  const text = chained(499_999);
  const { document, diagnostics } = parseDot(text);
  expect(diagnostics).toMatchObject([{ code: 'size_limit', span: { start: text.indexOf('b;') } }]);
  expect(document.graph?.statements.map(({ kind }) => kind)).toEqual(['node', 'edge']);
});

describe('large input that is right', () => {
  test('a chain of 200 000 edges', () => {
    const { document, diagnostics } = parseDot(inGraph(`a${' -> a'.repeat(200_000)}`));
    expect(diagnostics).toEqual([]);
    expect(document.graph?.statements[0]).toMatchObject({ kind: 'edge', chain: { length: 200_001 } });
  });

  test('100 000 attributes in one block', () => {
    const attributes = Array.from({ length: 100_000 }, (_, index) => `k${index}=${index}`);
    const { document, diagnostics } = parseDot(inGraph(`a [${attributes.join(', ')}]`));
    expect(diagnostics).toEqual([]);
    expect(document.graph?.statements[0]).toMatchObject({ attributes: { length: 100_000 } });
  });

  test.each([
    ['plain', 'y', 10_000_000],
    ['with escapes', '\\n', 5_000_000],
    ['with quotes', '\\"', 5_000_000],
  ])('a string of 10 MB, %s', (_, piece, length) => {
    const { document, diagnostics } = parseDot(inGraph(`a [x="${piece.repeat(length)}"]`));
    expect(diagnostics).toEqual([]);
    const [node] = document.graph?.statements ?? [];
    expect(node?.kind === 'node' && node.attributes[0]?.value.text.length).toBe(length);
  });
});
