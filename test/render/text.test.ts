import { describe, expect, test } from 'vitest';
import { drawableText, quotable, wrapText } from '../../src/render/text.js';
import { fc } from '../support/fast-check.js';

describe('text is wrapped into even lines', () => {
  const narrow = { columns: 12, lines: 4 };
  test.each([
    ['', []],
    ['  \n ', []],
    ['one line', ['one line']],
    ['exactly 12 c', ['exactly 12 c']],
    ['two lines of words', ['two lines', 'of words']],
    ['its own\nbreaks stay', ['its own', 'breaks stay']],
    ['a\n\nb', ['a', '', 'b']],
    ['runs   of \t blanks', ['runs of', 'blanks']],
    ['src/render/text.ts', ['src/render/', 'text.ts']],
    ['context.failure_class=x', ['context.', 'failure_', 'class=x']],
    ['abcdefghijklmnopqrs', ['abcdefghijkl', 'mnopqrs']],
    ['日本語の計画を実行', ['日本語の計画', 'を実行']],
    [
      'one two three four five six seven eight nine ten',
      ['one two', 'three four', 'five six', 'seven eight …'],
    ],
  ])('%j', (text, lines) => expect(wrapText(text, narrow)).toEqual(lines));

  test('a word that fits on a line is not parted to make lines even', () => {
    const limits = { columns: 40, lines: 4 };
    expect(wrapText('outcome=fail && context.failure_class=transient_infra', limits)).toEqual([
      'outcome=fail &&',
      'context.failure_class=transient_infra',
    ]);
  });

  test('no line is too wide, and nothing is lost where all lines are shown', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), fc.integer({ min: 4, max: 40 }), (text, columns) => {
        const lines = wrapText(text, { columns, lines: 1000 });
        expect(lines.filter((line) => [...line].length > columns)).toEqual([]);
        expect(lines.join('').replaceAll(/\s/g, '')).toBe(drawableText(text).replaceAll(/\s/g, ''));
      }),
    );
  });
});

describe('text fits into a quoted string of Graphviz', () => {
  test.each([
    ['plain', 'plain'],
    ['say "hi"', String.raw`say \"hi\"`],
    ['ends with \\', String.raw`ends with \\`],
    ['\\"', String.raw`\\\"`],
    ['\\N is not an escape', String.raw`\\N is not an escape`],
    ['a\r\nb\rc', String.raw`a\nb\nc`],
    ['<b>&amp;</b>', '&lt;b>&amp;amp;&lt;/b>'],
    ['bell \x07 and half a pair \ud800', 'bell \ufffd and half a pair \ufffd'],
  ])('%j', (text, quoted) => expect(quotable(text)).toBe(quoted));
});
