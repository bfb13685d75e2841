import { describe, expect, test } from 'vitest';
import { compile } from '../../../src/compiler/compile.js';
import { fix } from '../../../src/compiler/fix.js';
import { parseDot } from '../../../src/parser/dot/parse.js';

const inNode = (text: string) => `digraph G {\n  a [prompt="${text}", label="l"]\n  b\n  a -> b\n}\n`;
const ofGraph = (text: string) => `digraph G {\n  goal="${text}"\n  a -> b\n}\n`;
const last = (text: string) => `digraph G {\n  a [label="l", prompt="${text}"]; a -> b\n}\n`;

describe.each([
  ['in a block', inNode],
  ['at its end', last],
  ['in an assignment', ofGraph],
])('quotes inside a string %s are one finding, and its fix escapes them', (_, around) => {
  test.each([
    'Print "hello" and exit',
    '"hello" and "bye"',
    'Print "hello"',
    'say "one two three" twice',
    'say " one two " twice',
    'Return {"outcome": "success", "list": ["a", "b"]} only',
    'Return ["a", "b"]\n  and\n  {\n    "k": "v"\n  }\n  now',
    'call f("a", b="x") now',
    'a <a href="u">link</a>, <b class="c">',
    'if [ "$x" = "y" ]; then echo "z"; fi',
    'set x="5", and y="6" too',
    'see "http://x.y/z" for more',
    'a \\"quoted\\" and a "bare" one',
  ])('%s', (text) => {
    const written = around(text);
    const { diagnostics } = parseDot(written);
    const first = written.indexOf(text) + text.search(/(?<!\\)"/);
    expect(diagnostics).toMatchObject([{ code: 'unescaped_quote', span: { start: first, end: first + 1 } }]);
    const { line, column } = { line: 2, column: written.indexOf(`"${text}`) - written.indexOf('\n') };
    expect(diagnostics[0]?.message).toContain(`begins at line ${line}, column ${column}`);
    const fixed = fix(written).text;
    expect(fixed).toBe(around(text.replace(/(?<!\\)"/g, '\\"')));
    expect(parseDot(fixed).diagnostics).toEqual([]);
  });
});

test('the value is what was meant, so that nothing else is said about the text', () => {
  const text =
    'digraph G { s [shape=Mdiamond] a [prompt="Print "hello" and exit"] e [shape=Msquare] s -> a -> e }';
  const { graph, diagnostics } = compile(text);
  expect(graph.nodes.get('a')?.attributes.get('prompt')).toMatchObject({ value: 'Print "hello" and exit' });
  expect(diagnostics.filter(({ rule }) => rule !== 'goal_missing').map(({ code }) => code)).toEqual([
    'unescaped_quote',
  ]);
});

test('two strings of one statement each have their finding, and one call of fix escapes both', () => {
  const text = 'digraph G {\n  a [label="Say "yes" to it", prompt="ok "x" y"]\n  a -> b\n}\n';
  expect(parseDot(text).diagnostics.map(({ code }) => code)).toEqual(['unescaped_quote', 'unescaped_quote']);
  const escaped = 'a [label="Say \\"yes\\" to it", prompt="ok \\"x\\" y"]';
  expect(fix(text).text).toBe(`digraph G {\n  ${escaped}\n  a -> b\n}\n`);
});

test('an odd quote may have been meant to close the string, so a person decides', () => {
  const text = inNode('a 6" pipe');
  expect(parseDot(text).diagnostics).toMatchObject([{ code: 'unescaped_quote', fix: { unsafe: true } }]);
  expect(fix(text).text).toBe(text);
});

test.each([
  ['a string without end before others', 'a [label="no end, shape="box"]\n  b', 'unterminated_string'],
  ['a second string', 'a [label="x" "y"]', 'string_concatenation'],
  ['a missing comma', 'a [label="x" shape="box"]', 'missing_comma'],
  ['strings joined by a sign', 'a [label="x" + "y"]', 'string_concatenation'],
  ['an attribute without a value', 'a [label="x", y, z="1"]', 'missing_value'],
])('%s is what it was', (_, statement, code) => {
  expect(parseDot(`digraph G {\n  ${statement}\n}\n`).diagnostics).toMatchObject([{ code }]);
});

test.each([
  ['a word', 'a [prompt="x", y "z"]'],
  ['a comment', 'a [prompt="x" // y" z=1\n, w=2 v=3]'],
  ['a name in quotes', 'goal="x", "y z"'],
])('after a string that may have ended too early, %s has no safe fix', (_, statement) => {
  const text = `digraph G {\n  ${statement}\n}\n`;
  expect(fix(text).text).toBe(text);
});
