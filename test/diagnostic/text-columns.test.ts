import { describe, expect, test } from 'vitest';
import { cutColumns, padColumns, textColumns, wrapColumns } from '../../src/diagnostic/text-columns.js';
import { fc } from '../support/fast-check.js';

describe('columns of a terminal', () => {
  test.each([
    ['abc', 3],
    ['日本', 4],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['', 0],
  ])('%s takes %i', (text, columns) => expect(textColumns(text)).toBe(columns));

  test.each([
    ['abc', 5, 'abc  '],
    ['abcdef', 3, 'abcdef'],
    ['日本', 5, '日本 '],
  ])('%s is padded to %i', (text, width, padded) => expect(padColumns(text, width)).toBe(padded));

  test.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
  ])('%s is cut to %i', (text, width, cut) => expect(cutColumns(text, width)).toBe(cut));

  test.each([
    ['one two three', 7, ['one two', 'three']],
    ['one two', 3, ['one', 'two']],
    ['unbreakable word', 4, ['unbreakable', 'word']],
    ['', 4, []],
  ])('%s is wrapped to %i', (text, width, lines) => expect(wrapColumns(text, width)).toEqual(lines));

  const word = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes(' '));
  test('what is cut fits, and what is wrapped has all words in their order', () => {
    fc.assert(
      fc.property(fc.array(word), fc.integer({ min: 2, max: 40 }), (words, width) => {
        const text = words.join(' ');
        expect(textColumns(cutColumns(text, width))).toBeLessThanOrEqual(width);
        const lines = wrapColumns(text, width);
        expect(lines.join(' ')).toBe(text);
        const isShort = (line: string) => textColumns(line) <= width || !line.includes(' ');
        expect(lines.filter((line) => !isShort(line))).toEqual([]);
      }),
    );
  });
});
