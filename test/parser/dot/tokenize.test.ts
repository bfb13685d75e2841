import { type IToken, Lexer } from 'chevrotain';
import { expect, test } from 'vitest';
import { tokenize } from '../../../src/parser/dot/tokenize.js';
import { tokenTypes } from '../../../src/parser/dot/tokens.js';
import { fc } from '../../support/fast-check.js';
import { fixturesIn } from '../../support/fixtures.js';

/** The lexer that chevrotain makes of the same tokens: it says what tokenize must find, and checks the tokens themselves. */
const reference = new Lexer([...tokenTypes], { positionTracking: 'onlyOffset', ensureOptimizations: true });

function named(tokens: readonly IToken[] = []): readonly unknown[] {
  return tokens.map(({ tokenType, image, startOffset, payload }) => [
    startOffset,
    tokenType.name,
    image,
    payload,
  ]);
}

function expectSameTokens(text: string): void {
  const { tokens, groups, errors } = reference.tokenize(text);
  const found = tokenize(text);
  expect(errors).toEqual([]);
  expect(named([...found.tokens])).toEqual(named(tokens));
  expect(named(found.comments)).toEqual(named(groups.comments));
  expect(named(found.hashes)).toEqual(named(groups.hashes));
  expect(named(found.blanks)).toEqual(named(groups.blanks));
}

const pieces = [
  ...['digraph', 'graph', 'node', 'edge', 'subgraph', 'subgraphs', 'graph-x', 'graphé', 'graph→b', 'noden'],
  ...['a', 'b-c', 'd.e', 'é', 'aé', 'true', 'false', 'truex', 'true:x', 'a-', 'x--', 'x-->', '_', 'Z9'],
  ...['"s"', '"\\d\\""', '"\\\\"', '"', "'q'", '`q`', '“q”', '«q»', '<h>', '<h<i>>', '<'],
  ...['1', '-1', '.5', '-2s', '5.', '5m', '900sx', '3.5-turbo', '1-2', '1->2', '--1', '#c', 'http://x/y'],
  ...['->', '--', '-->', '=>', '==>', '~>', '<-', '<->', '→', '–', '—>', '=', '==', '===', ':', '+', '-'],
  ...[',', ';', '[', ']', '{', '}', '[x, y]', '{x}', '@', '(', '/', '/*', '*/', '/**/', '//', '#', '\\'],
  ...[' ', '\n', '\r\n', '\t', '\v', '\f', '\u00a0', '\ufeff', '\u2028', '\ud83d', '😀', '漢'],
];

test.each(
  pieces.flatMap((piece) => [piece, `=${piece}`, `= ${piece} ]`, `: ${piece}`, `${piece}x`, `x${piece}`]),
)('cuts %j as the lexer of the parser library does', (text) => expectSameTokens(text));

test('cuts any text as the lexer of the parser library does', () => {
  const soup = fc.array(fc.constantFrom(...pieces)).map((parts) => parts.join(''));
  fc.assert(fc.property(fc.oneof(soup, fc.string({ unit: 'binary' })), expectSameTokens), { numRuns: 500 });
});

test.each(fixturesIn('syntax').map(({ name, text }) => [name, text]))('cuts %s the same way', (_, text) =>
  expectSameTokens(text),
);

test('cuts a text that has more tokens than one of its length usually has', () =>
  expectSameTokens(';'.repeat(10_000)));
