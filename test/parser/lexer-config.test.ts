import { type ILexingResult, type IToken, Lexer } from 'chevrotain';
import { describe, expect, test } from 'vitest';
import { conditionTokens } from '../../src/parser/condition/tokens.js';
import { tokenTypes } from '../../src/parser/dot/tokens.js';
import { forLongTexts, forShortTexts } from '../../src/parser/lexer-config.js';
import { stylesheetTokens } from '../../src/parser/stylesheet/tokens.js';
import { fc } from '../support/fast-check.js';
import { fixturesIn } from '../support/fixtures.js';

/** What the texts of a language consist of, and what is easily mistaken for it. */
const languages = [
  {
    name: 'dot',
    types: tokenTypes,
    config: forLongTexts,
    pieces: [
      ...[
        'digraph',
        'graph',
        'node',
        'edge',
        'subgraph',
        'subgraphs',
        'graph-x',
        'graphé',
        'graph→b',
        'noden',
      ],
      ...['a', 'b-c', 'd.e', 'é', 'aé', 'true', 'false', 'truex', 'true:x', 'a-', 'x--', 'x-->', '_', 'Z9'],
      ...['"s"', '"\\d\\""', '"\\\\"', '"', "'q'", '`q`', '“q”', '«q»', '‘q’', '„q“', '<h>', '<h<i>>', '<'],
      ...['1', '-1', '.5', '-2s', '5.', '5m', '900sx', '3.5-turbo', '1-2', '1->2', '--1', '#c', 'http://x/y'],
      ...['->', '--', '-->', '=>', '==>', '~>', '~~>', '<-', '<->', '→', '⟶', '⇒', '⟹', '–', '—>', '='],
      ...[
        '==',
        '===',
        ':',
        '+',
        '-',
        ',',
        ';',
        '[',
        ']',
        '{',
        '}',
        '[x, y]',
        '{x}',
        '@',
        '(',
        '/',
        '/*',
        '*/',
      ],
      ...[
        '/**/',
        '//',
        '#',
        '\\',
        ' ',
        '\n',
        '\r\n',
        '\t',
        '\v',
        '\f',
        '\u00a0',
        '\u00ad',
        '\u1680',
        '\u200b',
      ],
      ...['\u2028', '\u202f', '\u205f', '\u2060', '\u3000', '\ufeff', '\ud83d', '😀', '漢'],
    ],
  },
  {
    name: 'condition',
    types: conditionTokens,
    config: forShortTexts,
    pieces: [
      ...[
        'outcome',
        'context.a',
        'a-b',
        'true',
        'truex',
        'not',
        'in',
        'inn',
        'exists',
        'matches',
        'x.0',
        '12',
      ],
      ...['=', '==', '===', '!=', '!==', '!', '<', '<=', '>', '=>', '=<', '=~ ', '<>', '&&', '&', '||', '|'],
      ...[
        '(',
        ')',
        '[',
        ']',
        ',',
        '"a b"',
        '"\\""',
        '"\\',
        '"',
        "'",
        '{',
        ';',
        ' ',
        '\n',
        '\u00a0',
        '😀',
        'é',
      ],
    ],
  },
  {
    name: 'stylesheet',
    types: stylesheetTokens,
    config: forShortTexts,
    pieces: [
      ...[
        '*',
        '.code',
        '.',
        '#plan',
        '#a-b',
        '#',
        'box',
        'llm_model',
        'a-b',
        '1',
        'gpt-5.2',
        'model: x',
        'a =b',
      ],
      ...['{', '}', ';', ':', '=', ',', '"v"', "'v'", '"', "'", '/* c */', '/*', '*/', '//', '/', '\\'],
      ...[' ', '\n', '\r\n', '\t', '\u00a0', '😀', 'é', '@'],
    ],
  },
] as const;

describe.each(languages)('the lexer of the language $name', ({ types, config, pieces }) => {
  const lexer = new Lexer([...types], config);
  /** Tries the patterns in their order at every place, and has the library look for mistakes in them. */
  const reference = new Lexer([...types], { positionTracking: 'onlyOffset', safeMode: true });

  test('has tokens in which the parser library sees no mistake', () => {
    const { lexerDefinitionErrors } = new Lexer([...types], { deferDefinitionErrorsHandling: true });
    expect(lexerDefinitionErrors).toEqual([]);
  });

  test.each(
    pieces.flatMap((piece) => [
      ...[piece, `=${piece}`, `= ${piece} ]`, `: ${piece}`, `${piece}x`, `x${piece}`],
      `=\n${piece}=`,
    ]),
  )('finds in %j what the patterns say in their order', (text) => expectTokens(text));

  test('cuts any text into tokens without a rest, as the patterns say in their order', () => {
    const soup = fc.array(fc.constantFrom(...pieces)).map((parts) => parts.join(''));
    const texts = fc.oneof({ weight: 4, arbitrary: soup }, fc.string({ unit: 'binary' }));
    fc.assert(fc.property(texts, expectTokens), { numRuns: 500 });
  });

  function expectTokens(text: string): void {
    const found = lexer.tokenize(text);
    const expected = reference.tokenize(text);
    expect(found.errors).toEqual([]);
    expect(found.tokens.map(fieldsOf)).toEqual(expected.tokens.map(fieldsOf));
    expect(groupsOf(found)).toEqual(groupsOf(expected));
  }

  test.each(fixturesIn('syntax').map(({ name, text }) => [name, text]))('reads %s so too', (_, text) =>
    expectTokens(text),
  );
});

function fieldsOf({ startOffset, image, tokenType, payload }: IToken): readonly unknown[] {
  return [startOffset, image, tokenType.name, payload];
}

function groupsOf({ groups }: ILexingResult): readonly unknown[] {
  return Object.entries(groups).map(([name, tokens]) => [name, tokens.map(fieldsOf)]);
}
