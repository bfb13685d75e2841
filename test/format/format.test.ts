import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { format } from '../../src/format/format.js';
import { parseDot } from '../../src/parser/dot/parse.js';
import { fixturesIn } from '../support/fixtures.js';
import { readByGraphviz } from './graphviz.js';
import { commentsOf, drawingOf, meaningOf } from './meaning.js';

const folder = path.join(import.meta.dirname, '../../fixtures/format');

describe('98: the canonical form', () => {
  it.each(readdirSync(folder))('of fixtures/format/%s is as it stands there', (name) => {
    const read = (file: string) => readFileSync(path.join(folder, name, file), 'utf8');
    expect(format(read('in.dot')).text).toBe(read('out.dot'));
    expect(format(read('out.dot')).text).toBe(read('out.dot'));
  });

  it.each([
    ['an empty graph', 'digraph G\n{\n\n}', 'digraph G {}\n'],
    ['a trailing semicolon', 'digraph G {};', 'digraph G {}\n'],
    ['a byte order mark, which Graphviz refuses', '\ufeffdigraph G {}', 'digraph G {}\n'],
    ['other line ends', 'digraph G {\r\na}', 'digraph G {\r\n    a\r\n}\r\n'],
    [
      'line ends of old, which Graphviz takes for blanks',
      '//c\rdigraph G {\ra}',
      '//c\ndigraph G {\n    a\n}\n',
    ],
    ['line ends that the first one decides', '\ndigraph G {\r\na}', 'digraph G {\n    a\n}\n'],
    ['line ends in comments', '/*\r\n1\r2\n*/ digraph G {}', '/*\r\n1\r\n2\r\n*/ digraph G {}\r\n'],
  ])('has %s', (_, text, expected) => {
    expect(format(text).text).toBe(expected);
  });

  test('keeps line ends in strings, which are part of their values', () => {
    const long = 'x'.repeat(100);
    expect(format('digraph G {\n a [x="1\r\n2"] }').text).toContain('x="1\r\n2"');
    expect(format('digraph G {\r\n a [x="1\n2"] }').text).toContain('x="1\n2"');
    expect(format(`digraph G {\r\n a [x="1\\n${long}"] }`).text).toContain(`x="1\\n${long}"`);
    expect(format(`digraph G {\n a [x="1\\n${long}"] }`).text).toContain(`x="1\n${long}"`);
  });

  test('is refused to a text with a syntax error, with the findings', () => {
    const { text, diagnostics } = format('digraph G { a [x=1 y=2] }');
    expect(text).toBeUndefined();
    expect(diagnostics.map(({ code }) => code)).toEqual(['missing_comma']);
  });

  test('is given to a text with warnings only', () => {
    const { text, diagnostics } = format('digraph G { a [x="\\d"] }');
    expect(text).toBe('digraph G {\n    a [x="\\d"]\n}\n');
    expect(diagnostics.map(({ code }) => code)).toEqual(['unknown_escape']);
  });
});

describe('2: a chain beyond what Graphviz reads', () => {
  const chain = Array.from({ length: 5001 }, (_, index) => `n${index}`).join(' -> ');
  const text = `digraph G { ${chain} /* before */ [weight=2 /* inside */] // behind\n}`;
  const formatted = format(text).text ?? '';

  it('becomes several statements that mean the same', () => {
    expect(parseDot(formatted).document.graph?.statements).toHaveLength(5);
    expect(meaningOf(formatted)).toEqual(meaningOf(text));
    expect(readByGraphviz(formatted)).toEqual(drawingOf(text));
  });

  it('keeps its comments once', () => {
    expect(commentsOf(formatted)).toEqual(commentsOf(text));
    expect(format(formatted).text).toBe(formatted);
  });
});

/** Ids that Graphviz takes for its keywords; nothing can be done about them but another name (rule `keyword_like_id`). */
const isKeywordLike = (id: string) => /^(?:strict|digraph|graph|subgraph|node|edge)$/i.test(id);

const fixtures = ['lint', 'syntax', 'format'].flatMap(fixturesIn).filter(({ text }) => {
  const isRight = parseDot(text).diagnostics.every(({ severity }) => severity !== 'error');
  return isRight && !drawingOf(text).nodes.some(isKeywordLike);
});

describe('17: Graphviz itself', () => {
  it.each(fixtures)('reads the canonical form of $name, with the same nodes and edges', ({ text }) => {
    const formatted = format(text).text ?? '';
    expect(readByGraphviz(formatted)).toEqual(drawingOf(text));
    expect(meaningOf(formatted)).toEqual(meaningOf(text));
  });
});

describe('the examples of this repository', () => {
  const examples = path.join(import.meta.dirname, '../../examples');
  const files = readdirSync(examples).filter((file) => file.endsWith('.dot'));
  it.each(files)('%s stands in the canonical form', (file) => {
    const text = readFileSync(path.join(examples, file), 'utf8');
    expect(format(text).text).toBe(text);
  });
});
