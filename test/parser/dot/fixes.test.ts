import { describe, expect, test } from 'vitest';
import { parseDot } from '../../../src/parser/dot/parse.js';
import { applyEdits } from '../../lint/apply-edits.js';

function fixed(text: string): string {
  const edits = parseDot(text).diagnostics.flatMap(({ fix }) => fix?.edits ?? []);
  return applyEdits(text, edits);
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
    ['digraph G { a--b => c }', 'digraph G { a -> b  ->  c }'],
    ['strict graph G { a }', ' digraph G { a }'],
    ['DIGRAPH G { Subgraph s { a } { b } }', 'digraph G { subgraph s { a } subgraph { b } }'],
    ['digraph { a }', 'digraph Pipeline { a }'],
    ['digraph G a }', 'digraph G { a }'],
    ['digraph G { a', 'digraph G { a\n}\n'],
    ['digraph G { a }}', 'digraph G { a }'],
    ['digraph G { a; ; }', 'digraph G { a;  }'],
    ['# x\ndigraph G { a\u00a0-> b }', '// x\ndigraph G { a -> b }'],
    ['pipeline G { a }', 'digraph G { a }'],
    ['G { a }', 'digraph G { a }'],
  ])('%s', (text, expected) => {
    expect(fixed(text)).toBe(expected);
    expect(parseDot(fixed(text)).diagnostics).toEqual([]);
  });
});

test.each(['my-node', '"my node"', 'my.node', '3d', 'übung', 'node -> a'])(
  '%s as an id is left to a person, for every use must be renamed',
  (text) => {
    expect(fixed(`digraph G { ${text} }`)).toBe(`digraph G { ${text} }`);
  },
);
