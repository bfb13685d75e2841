import { expect, test } from 'vitest';
import { createActions } from '../../../src/parser/dot/actions.js';
import { DotParser } from '../../../src/parser/dot/grammar.js';
import { reportLexical } from '../../../src/parser/dot/lexical.js';
import { createNodeNames } from '../../../src/parser/dot/node-names.js';
import { createReport } from '../../../src/parser/dot/report.js';
import { tokenize } from '../../../src/parser/dot/tokenize.js';
import { fc } from '../../support/fast-check.js';
import { fixturesIn } from '../../support/fixtures.js';

let plainlyRead = 0;

class WithPlainStatements extends DotParser {
  protected override plainStatement(...args: Parameters<DotParser['plainStatement']>): boolean {
    const wasPlain = super.plainStatement(...args);
    if (wasPlain) plainlyRead += 1;
    return wasPlain;
  }
}

/** Everything through the rules of the grammar. */
class GrammarAlone extends DotParser {
  protected override plainStatement(): boolean {
    return false;
  }
}

const both = new WithPlainStatements({ skipValidations: true });
const grammarAlone = new GrammarAlone({ skipValidations: true });

function parseWith(parser: DotParser, text: string): unknown {
  const report = createReport(text);
  const lexed = tokenize(text);
  reportLexical(lexed, report);
  const names = createNodeNames(lexed.tokens);
  const actions = createActions(names, report);
  parser.parse(lexed.tokens, actions);
  return { graph: actions.finish(), diagnostics: report.diagnostics(), renamed: names.renamed() };
}

function expectSame(text: string): void {
  expect(parseWith(both, text)).toEqual(parseWith(grammarAlone, text));
}

test.each([
  ['a [x=1]', 1],
  ['a [x=1, "y.z"="\\d", w=true, v=900s, u=.5, t=up]; b [x=a->b]', 1],
  ['a -> b -> c [x=1] b -> c; c -> d', 3],
  ['graph [x=1] node [y=2]; edge [z=3]', 3],
  ['subgraph s { a [x=1]; b -> c } d -> e', 3],
  ['my-node [label="x"] my-node -> b', 2],
  ['a', 0],
  ['a []', 0],
  ['a [x==1]', 0],
  ['a [x=1,]', 0],
  ['a [x=1 y=2]', 0],
  ['a [x=1][y=2]', 0],
  ['a [x="1" + "2"]', 0],
  ['a [x=1', 0],
  ['a -> b [', 0],
  ['a -> b:port', 0],
  ['a -> b -- c', 0],
  ['a -> "b"', 0],
  ['a -> {b c}', 0],
  ['graph -> a', 0],
  ['graph x { a -> b }', 1],
  ['Subgraph x { a -> b', 1],
  ['a = b', 0],
])('%j has %i plain statements, and reads as the grammar reads it', (body, plain) => {
  plainlyRead = 0;
  expectSame(`digraph G { ${body} }`);
  expect(plainlyRead).toBe(plain);
});

test.each(fixturesIn('syntax').map(({ name, text }) => [name, text]))(
  '%s reads as the grammar reads it',
  (_, text) => expectSame(text),
);

test('any statements read as the grammar reads them', () => {
  const pieces = [
    ...[
      'a',
      'b-c',
      'graph',
      'node',
      'edge',
      'subgraph',
      'Subgraph',
      'digraph',
      'a -> b',
      'a -> b -> c',
      '"s"',
    ],
    ...['[x=1]', '[x="s", y=b]', '[label="\\d"]', '["k"=1,', '[x=1', 'x=1', 'y=a->b', ', z=2]', '<h>', '#c'],
    ...['->', '--', ';', ',', '[', ']', '{', '}', '=', '==', ':', '+', '//c\n', '\n', '"'],
  ];
  const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 25 }).map((parts) => parts.join(' '));
  fc.assert(
    fc.property(soup, (body) => expectSame(`digraph G { ${body}`)),
    { numRuns: 1000 },
  );
});
