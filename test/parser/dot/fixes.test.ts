import { describe, expect, test } from 'vitest';
import { applyFixes } from '../../../src/diagnostic/apply-fixes.js';
import { parseDot } from '../../../src/parser/dot/parse.js';

function fixed(text: string): string {
  return applyFixes(text, parseDot(text).diagnostics).text;
}

describe('a fix that needs no person makes the text right', () => {
  test.each([
    ['digraph G { a [x=1 y=2] }', 'digraph G { a [x=1, y=2] }'],
    ['digraph G { a [x=1; y=2] }', 'digraph G { a [x=1, y=2] }'],
    ['digraph G { a [,x=1,,y=2,] }', 'digraph G { a [x=1,y=2] }'],
    ['digraph G { a [x=1] [y=2] }', 'digraph G { a [x=1, y=2] }'],
    ['digraph G { a [x=1 }', 'digraph G { a [x=1] }'],
    ['digraph G { a [x=1} }', 'digraph G { a [x=1] }'],
    ['digraph G { a [label "x", y:2, z==3] }', 'digraph G { a [label= "x", y=2, z=3] }'],
    ['digraph G { a [font-size=3] }', 'digraph G { a ["font-size"=3] }'],
    ['digraph G { a [m=3.5-turbo, c=#ff0000, f=5.] }', 'digraph G { a [m="3.5-turbo", c="#ff0000", f=5.0] }'],
    ['digraph G { a [p=C:\\temp] }', 'digraph G { a [p="C:\\\\temp"] }'],
    [
      'digraph G { a -> b [condition=outcome=fail && x=1] }',
      'digraph G { a -> b [condition="outcome=fail && x=1"] }',
    ],
    ['digraph G { a [label=Hello World] }', 'digraph G { a [label="Hello World"] }'],
    ["digraph G { a [label='it', y=“is \\ \u201d] }", 'digraph G { a [label="it", y="is \\\\ "] }'],
    ['digraph G { a [x="1" + "2" + "3"] }', 'digraph G { a [x="123"] }'],
    ['digraph G { a [x="\\d\\."] }', 'digraph G { a [x="\\\\d\\\\."] }'],
    ['digraph G { a [x="1\\\n2"] }', 'digraph G { a [x="12"] }'],
    ['digraph G { "a" -> "b" }', 'digraph G { a -> b }'],
    ['digraph G { a:n -> b:s:ne }', 'digraph G { a -> b }'],
    ['digraph G { a--b => c }', 'digraph G { a -> b -> c }'],
    ['strict graph G { a }', 'digraph G { a }'],
    ['DIGRAPH G { Subgraph s { a } { b } }', 'digraph G { subgraph s { a } subgraph { b } }'],
    ['digraph { a }', 'digraph Pipeline { a }'],
    ['digraph G a }', 'digraph G { a }'],
    ['digraph G { a', 'digraph G { a\n}\n'],
    ['digraph G {\r\n  a\r\n', 'digraph G {\r\n  a\r\n}\r\n'],
    ['digraph G { a }}', 'digraph G { a }'],
    ['digraph G { a; ; }', 'digraph G { a;  }'],
    ['digraph G { a;;; ; b }', 'digraph G { a; b }'],
    ['# x\ndigraph G { a\u00a0-> b }', '// x\ndigraph G { a -> b }'],
    ['pipeline G { a }', 'digraph G { a }'],
    ['G { a }', 'digraph G { a }'],
  ])('%s', (text, expected) => {
    expect(fixed(text)).toBe(expected);
    expect(parseDot(fixed(text)).diagnostics).toEqual([]);
  });
});

describe('an id that is none is renamed wherever it stands, and no two ids become one', () => {
  test.each([
    ['my-node -> a -> my-node', 'my_node -> a -> my_node'],
    ['my-node -> my_node', 'my_node_2 -> my_node'],
    ['my-node -> my.node -> "my-node"', 'my_node -> my_node_2 -> my_node'],
    ['3d -> a.b', 'n3d -> a_b'],
    ['"node" -> a', 'my_node -> a'],
    ['"my node"', 'my_node [label="my node"]'],
    ['"my node" []', 'my_node [label="my node"]'],
    ['a -> "my node"; "my node" [x=1]', 'a -> my_node; my_node [label="my node", x=1]'],
    ['"my node" [x=1, label="L"]', 'my_node [x=1, label="L"]'],
    ['"say \\"it\\"" "say \\"it\\"" [x=1]', 'say_it [label="say \\"it\\""] say_it [x=1]'],
    ['übung [x=1]', 'ubung [label="übung", x=1]'],
    ["'my node'", 'my_node [label="my node"]'],
    ['subgraph "Loop A" { a } subgraph b-c { a }', 'subgraph Loop_A { a } subgraph b_c { a }'],
  ])('%s', (statements, expected) => {
    const text = `digraph G { ${statements} }`;
    expect(fixed(text)).toBe(`digraph G { ${expected} }`);
    expect(parseDot(fixed(text)).diagnostics).toEqual([]);
  });

  test('the name of the graph too', () => {
    expect(fixed('digraph "Release train" { a }')).toBe('digraph Release_train { a }');
    expect(fixed('digraph my release-train { a }')).toBe('digraph my_release_train { a }');
  });
});

describe('labels with markup become text', () => {
  test.each([
    ['<b>bold</b>', '"bold"'],
    ['<<b>bold</b> text>', '"bold text"'],
    ['<one<br/>two &amp; three>', '"one\\ntwo & three"'],
    ['<<FONT FACE="x y"><B>En\n  try &#33;</B></FONT>>', '"En try !"'],
    ['<say "hi" \\>', '"say \\"hi\\" \\\\"'],
  ])('%s', (html, expected) => {
    expect(fixed(`digraph G { a [label=${html}] }`)).toBe(`digraph G { a [label=${expected}] }`);
  });
});

test.each([
  ['node -> a', 'a keyword may stand for defaults'],
  ['"my node" -> a', 'the text would be lost'],
  ['"要約"', 'no letter of it can stay'],
  ['a [label=<<table><tr><td>a</td></tr></table>>]', 'the table would be lost'],
  ['a { x=1 }', 'the brace may stand for a bracket'],
  ['a <- b', 'the ends must change places'],
])('%s is left to a person: %s', (statements) => {
  expect(fixed(`digraph G { ${statements} }`)).toBe(`digraph G { ${statements} }`);
});

test.each([
  ['digraph G {\n  subgraph s {\n    a\n  b\n}\n', 'a brace in another column closes the wrong block'],
  ['digraph G { subgraph s { a', 'two are missing'],
  ['digraph G { a } } b }', 'the brace before is the one too many'],
])('%s is left to a person: %s', (text) => {
  expect(fixed(text)).toBe(text);
});
