import { describe, expect, test } from 'vitest';
import type { Statement } from '../../../src/parser/dot/ast.js';
import { DotParser } from '../../../src/parser/dot/grammar.js';
import { parseDot } from '../../../src/parser/dot/parse.js';
import { syntaxCodes } from '../../../src/parser/dot/syntax-codes.js';
import { fixturesIn } from '../../support/fixtures.js';
import { codesOf, outline, statementsOf } from './outline.js';

test('the grammar passes the checks of the parser library', () => {
  expect(() => new DotParser({ skipValidations: false })).not.toThrow();
});

describe('§2.2: statements', () => {
  test.each([
    ['', ''],
    ['a', 'a'],
    ['a;b c', 'a; b; c'],
    ['a []', 'a'],
    ['a [x=1]', 'a[x=integer:1]'],
    ['a -> b -> c [label="next"]', 'a->b->c[label="next"]'],
    ['a->b', 'a->b'],
    [
      'graph [goal="g"] node [shape=box] edge [weight=0]',
      'graph[goal="g"]; node[shape=bare:box]; edge[weight=integer:0]',
    ],
    ['rankdir=LR', 'rankdir=bare:LR'],
    ['a = b', 'a=bare:b'],
    ['subgraph s { a } subgraph { b };', 'subgraph s {a}; subgraph - {b}'],
    ['subgraph s { subgraph t { a } b }', 'subgraph s {subgraph t {a}; b}'],
  ])('%s', (text, expected) => {
    expect(statementsOf(text)).toBe(expected);
    expect(codesOf(text)).toEqual([]);
  });
});

describe('2, 3, 4, 5, 6: values', () => {
  test.each([
    ['box', 'bare:box'],
    ['gpt-5.4', 'bare:gpt-5.4'],
    ['summary:high', 'bare:summary:high'],
    ['_a.b-c:d', 'bare:_a.b-c:d'],
    ['trueish', 'bare:trueish'],
    ['node', 'bare:node'],
    ['42', 'integer:42'],
    ['-1', 'integer:-1'],
    ['0.5', 'float:0.5'],
    ['-.5', 'float:-.5'],
    ['true', 'boolean:true'],
    ['false', 'boolean:false'],
    ['900s', 'duration:900s'],
    ['250ms', 'duration:250ms'],
    ['-5m', 'duration:-5m'],
    ['""', '""'],
    ['"900s"', '"900s"'],
    ['"a\\"b\\n\\t\\\\"', '"a\\"b\\n\\t\\\\"'],
    ['"one\ntwo\r\nthree"', '"one\\ntwo\\r\\nthree"'],
    ['"// no /* comment */ # here"', '"// no /* comment */ # here"'],
  ])('%s', (text, expected) => {
    expect(statementsOf(`a [x=${text}]`)).toBe(`a[x=${expected}]`);
    expect(statementsOf(`x=${text}`)).toBe(`x=${expected}`);
    expect(codesOf(`a [x=${text},y=${text}] y = ${text}; b`)).toEqual([]);
  });

  test('a bare value ends before an arrow', () => {
    expect(codesOf('x=a->b')).toEqual(['missing_source']);
    expect(statementsOf('x=a-b')).toBe('x=bare:a-b');
  });
});

describe('13, 17, 17g: keys and ids', () => {
  test.each([
    ['a.b.c=1', 'a.b.c=integer:1'],
    ['"manager.max_cycles"=5', '"manager.max_cycles"=integer:5'],
    [
      'graph=1 node=2 edge=3 subgraph=4 digraph=5 strict=6',
      'graph=integer:1; node=integer:2; edge=integer:3; subgraph=integer:4; digraph=integer:5; strict=integer:6',
    ],
    [
      'a [node=1, subgraph=2, strict=3, "k k"=4]',
      'a[node=integer:1, subgraph=integer:2, strict=integer:3, "k k"=integer:4]',
    ],
    ['strict -> Node -> EDGE', 'strict->Node->EDGE'],
    ['__proto__ -> constructor [__proto__=1]', '__proto__->constructor[__proto__=integer:1]'],
    ['nodes edge1 graph_ subgraphs', 'nodes; edge1; graph_; subgraphs'],
  ])('%s', (text, expected) => {
    expect(statementsOf(text)).toBe(expected);
    expect(codesOf(text)).toEqual([]);
  });
});

describe('what is readable is kept', () => {
  test.each([
    ['a [x=1 y=2]', 'a[x=integer:1, y=integer:2]'],
    ['a [x=1; y=2,]', 'a[x=integer:1, y=integer:2]'],
    ['a [x=1] [y=2]', 'a[x=integer:1, y=integer:2]'],
    ['"my node" -> my-node -> my.node -> "my node"', 'my_node->my_node_2->my_node_3->my_node'],
    ['a-b -> a_b -> "a-b" -> "a_b"', 'a_b_2->a_b->a_b_2->a_b'],
    ['a [a_b=1] a-b', 'a[a_b=integer:1]; a_b'],
    ['3d -> "3d" -> "" -> "node"', 'n3d->n3d->unnamed->my_node'],
    ['übung', 'ubung'],
    ['a:n:ne -> b', 'a->b'],
    ['a -- b --> c', 'a->b->c'],
    ['a -> {b c} d', 'a; subgraph - {b; c}; d'],
    ['{ a }', 'subgraph - {a}'],
    ['Subgraph s { a } SUBGRAPH { b } group { c }', 'subgraph s {a}; subgraph - {b}; subgraph group {c}'],
    ['a [x=1 \n b -> c', 'a[x=integer:1]; b->c'],
    ['a [x=, y=2]', 'a[y=integer:2]'],
    ['a [label=Hello World, y=2]', 'a[label=bare:Hello World, y=integer:2]'],
    ['a [condition=outcome=fail && x!=1, y=2]', 'a[condition=bare:outcome=fail && x!=1, y=integer:2]'],
    ['a [label="x" + "y"]', 'a[label="xy"]'],
    ['a [label=<<b>bold</b> text>]', 'a[label="bold text"]'],
    ['a [label: "x", y == 2]', 'a[label="x", y=integer:2]'],
    ['a @ b -> c', 'a; b->c'],
    ['a [x="\\d\\.", y="1\\\n2"]', 'a[x="\\\\d\\\\.", y="12"]'],
  ])('%s', (text, expected) => expect(statementsOf(text)).toBe(expected));

  test.each([
    ['strict graph G { a }', 'G: a'],
    ['digraph { a }', 'Pipeline: a'],
    ['digraph "My graph" { a }', 'My_graph: a'],
    ['digraph My graph { a }', 'My_graph: a'],
    ['digraph G a -> b }', 'G: a->b'],
    ['digraph G { a -> b', 'G: a->b'],
    ['digraph G { a } digraph H { b }', 'G: a'],
    ['G { a }', 'G: a'],
    ['a -> b', 'nothing'],
    ['', 'nothing'],
  ])('%s', (text, expected) => expect(outline(parseDot(text).document.graph)).toBe(expected));
});

describe('spans', () => {
  const text = 'digraph G { /* c */ a [x="1", y=2]; b -> c\n subgraph s { d = 3 } } // end';
  const { document } = parseDot(text);
  const at = ({ start, end }: { readonly start: number; readonly end: number }) => text.slice(start, end);

  test('a statement ends before its semicolon', () => {
    expect(document.graph?.statements.map(({ span }) => at(span))).toEqual([
      'a [x="1", y=2]',
      'b -> c',
      'subgraph s { d = 3 }',
    ]);
    expect(at(document.graph?.span ?? { start: 0, end: 0 })).toBe(text.slice(0, -' // end'.length));
  });

  test('keys, values, names and comments', () => {
    expect(document.graph?.statements.flatMap(parts).map(at)).toEqual([
      'a',
      'x',
      '"1"',
      'y',
      '2',
      'b',
      'c',
      's',
    ]);
    expect(document.comments.map(({ kind, span }) => [kind, at(span)])).toEqual([
      ['block', '/* c */'],
      ['line', '// end'],
    ]);
  });

  function parts(statement: Statement) {
    switch (statement.kind) {
      case 'node':
        return [statement.id, ...statement.attributes.flatMap(({ key, value }) => [key, value])].map(
          ({ span }) => span,
        );
      case 'edge':
        return statement.chain.map(({ span }) => span);
      case 'subgraph':
        return statement.name === undefined ? [] : [statement.name.span];
      default:
        return [];
    }
  }
});

describe('the table of codes', () => {
  test('is complete: the fixtures and the cases here show every code', () => {
    const texts = [...fixturesIn('syntax').map(({ text }) => text), 'a\0b', deep, large, many];
    const shown = new Set(texts.flatMap((text) => parseDot(text).diagnostics.map(({ code }) => code)));
    expect([...shown].sort()).toEqual(Object.keys(syntaxCodes).sort());
  });

  const large = `digraph G { a${' -> a'.repeat(500_001)} }`;
  const deep = `digraph G {${'subgraph s {'.repeat(501)}${'}'.repeat(501)}}`;
  const many = `digraph G {${'a [x=1,]\n'.repeat(101)}}`;

  test('the severity of a finding is that of its code', () => {
    for (const { text } of fixturesIn('syntax')) {
      for (const { code, severity, rule } of parseDot(text).diagnostics) {
        expect(rule).toBe('syntax');
        expect(Object.entries(syntaxCodes).find(([name]) => name === code)?.[1].severity).toBe(severity);
      }
    }
  });
});

describe('many findings', () => {
  test('at most 100 errors are shown, then one that says so', () => {
    const { diagnostics } = parseDot(`digraph G {${'a [x=1,]\n'.repeat(500)}}`);
    expect(diagnostics).toHaveLength(101);
    expect(diagnostics.at(-1)).toMatchObject({ code: 'too_many_errors' });
  });

  test('one finding for each string with escapes, however many it has', () => {
    const { diagnostics } = parseDot('digraph G { a [x="\\d\\d\\d", y="\\d\\\n"] }');
    expect(diagnostics.map(({ code }) => code)).toEqual([
      'unknown_escape',
      'unknown_escape',
      'line_continuation',
    ]);
  });

  test('binary input has one finding', () => {
    expect(parseDot('\0\x01\0'.repeat(1000)).diagnostics.map(({ code }) => code)).toEqual(['binary_input']);
  });

  test('500 levels of subgraphs are read, the 501st is an error and its content dropped', () => {
    const nested = (depth: number) =>
      parseDot(`digraph G {${'subgraph s {'.repeat(depth)} a ${'}'.repeat(depth)} b }`);
    expect(nested(500).diagnostics).toEqual([]);
    const { document, diagnostics } = nested(501);
    expect(diagnostics.map(({ code }) => code)).toEqual(['nesting_limit']);
    expect(diagnostics[0]?.message).toContain('500');
    expect(outline(document.graph).match(/subgraph/g)).toHaveLength(500);
    expect(document.graph?.statements.at(-1)?.kind).toBe('node');
  });
});
