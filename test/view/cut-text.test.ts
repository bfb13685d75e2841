import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/graph/json.js';
import { valueText } from '../../src/run/preamble/value-text.js';
import { endsOf, headOf, linesOf, longLines, proseOf, tailOf } from '../../src/view/cut-text.js';
import { anyCharacter } from '../support/any-character.js';
import { fc } from '../support/fast-check.js';

describe('cutting a text', () => {
  test.each([
    ['abcdef', 6, 'abcdef', 'abcdef', 'abcdef'],
    ['abcdef', 3, 'abc…', '…def', 'a …ef'],
    ['abc def', 4, 'abc…', '…def', 'a …def'],
    ['😀😀😀', 3, '😀😀😀', '😀😀😀', '😀😀😀'],
    ['😀😀😀😀', 3, '😀😀😀…', '…😀😀😀', '😀 …😀😀'],
    ['', 0, '', '', ''],
  ])('%j to %i', (text, count, head, tail, ends) => {
    expect([headOf(text, count), tailOf(text, count), endsOf(text, count)]).toEqual([head, tail, ends]);
  });

  test('a long text has its first and its last lines apart', () => {
    const lines = Array.from({ length: 12 }, (_, index) => `line ${index}`);
    expect(longLines(lines.slice(0, 11).join('\n'), 8)).toBeUndefined();
    expect(longLines(lines.join('\n'), 8)).toEqual({
      head: 'line 0',
      between: ['line 1', 'line 2', 'line 3'],
      tail: lines.slice(4).join('\n'),
    });
  });

  test('leaves characters whole and keeps to the count', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 40 }), fc.nat(40), (text, count) => {
        for (const cut of [headOf(text, count), tailOf(text, count), endsOf(text, count)]) {
          expect(cut).not.toMatch(/\p{Surrogate}/u);
          expect([...cut].length).toBeLessThanOrEqual(count + 2);
        }
      }),
    );
  });

  test.each([
    [' a\n\tb  c ', 'a b c', 'a\\nb c'],
    ['a\r\n\r\n  b\u2028c', 'a b c', 'a\\nb\\nc'],
  ])('%j on one line', (text, prose, lines) => {
    expect([proseOf(text), linesOf(text)]).toEqual([prose, lines]);
  });
});

describe('a value as text', () => {
  test.each<[JsonValue, number, string]>([
    ['plain text', 40, 'plain text'],
    ['two\nlines', 40, 'two\\nlines'],
    ['x'.repeat(50), 10, `${'x'.repeat(10)}…`],
    [` ${'\n'.repeat(90)}x`, 10, '…'],
    [12.5, 40, '12.5'],
    [null, 40, 'null'],
    [true, 40, 'true'],
    [[], 40, '[]'],
    [[1, 'a', { b: [false] }], 40, '[1, "a", {"b": [false]}]'],
    [JSON.parse('{"__proto__": 1}'), 40, '{"__proto__": 1}'],
    [[['a'.repeat(9), 'b'.repeat(9)]], 12, '[["aaaaaaaaa…'],
  ])('%j in %i characters', (value, limit, text) => {
    expect(valueText(value, limit)).toBe(text);
  });

  test('of any size takes little', () => {
    const large = Array.from({ length: 1000 }, () => new Proxy({ id: 'branch' }, {}));
    let read = 0;
    const watched = new Proxy(large, {
      get(target, key, receiver) {
        read += 1;
        return Reflect.get(target, key, receiver);
      },
    });
    expect(valueText(watched, 60)).toHaveLength(61);
    expect(read).toBeLessThan(60);
  });
});
