import { type IToken, Lexer } from 'chevrotain';
import { describe, expect, test } from 'vitest';
import { conditionTokens } from '../../src/parser/condition/tokens.js';
import { createLexer } from '../../src/parser/lex.js';
import { stylesheetTokens } from '../../src/parser/stylesheet/tokens.js';
import { fc } from '../support/fast-check.js';

/** What the texts of a language consist of, and what is easily mistaken for it. */
const languages = [
  {
    name: 'condition',
    types: conditionTokens,
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

describe.each(languages)('the lexer of the language $name', ({ types, pieces }) => {
  const reference = new Lexer([...types], { positionTracking: 'onlyOffset' });
  const tokenize = createLexer(types);

  test('cuts any text as the lexer of the parser library does', () => {
    const soup = fc.array(fc.constantFrom(...pieces)).map((parts) => parts.join(''));
    const texts = fc.oneof({ weight: 4, arbitrary: soup }, fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(texts, (text) => {
        const { tokens, errors } = reference.tokenize(text);
        expect(errors).toEqual([]);
        expect(tokenize(text).map(fieldsOf)).toEqual(tokens.map(fieldsOf));
      }),
      { numRuns: 500 },
    );
  });
});

function fieldsOf({ startOffset, image, tokenType, tokenTypeIdx }: IToken): readonly unknown[] {
  return [startOffset, image, tokenType.name, tokenTypeIdx];
}
