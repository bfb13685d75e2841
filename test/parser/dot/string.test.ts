import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SourceText } from '../../../src/diagnostic/source.js';
import { decodeString, mapSpan, sourceOffset } from '../../../src/parser/dot/string.js';

describe('14, 2.2: escapes', () => {
  test.each([
    ['', '', []],
    ['plain', 'plain', []],
    ['\\"\\n\\t\\\\', '"\n\t\\', []],
    ['\\\\n', '\\n', []],
    ['\\\\\\n', '\\\n', []],
    ['one\ntwo\r\n', 'one\ntwo\r\n', []],
    ['a\\.b', 'a\\.b', [{ code: 'unknown_escape', offset: 1, length: 2 }]],
    ['\\\\\\d', '\\\\d', [{ code: 'unknown_escape', offset: 2, length: 2 }]],
    ['a\\\nb', 'ab', [{ code: 'line_continuation', offset: 1, length: 2 }]],
    ['a\\\r\nb', 'ab', [{ code: 'line_continuation', offset: 1, length: 3 }]],
    ['cut off\\', 'cut off\\', []],
  ])('%j', (raw, text, problems) => expect(decodeString(raw)).toEqual({ text, problems }));

  test('problems are limited', () => {
    expect(decodeString('\\.'.repeat(5000)).problems).toHaveLength(1000);
    expect(decodeString('\\.'.repeat(5000)).text).toHaveLength(10000);
  });
});

describe('from the decoded text back to the source', () => {
  test.each([
    ['a = "plain" ', 'plain', 'lai'],
    ['a = "x\\n\\ty" ', 'x\n\ty', 'y'],
    ['a = "\\"q\\" = 1" ', '"q" = 1', '= 1'],
    ['a = "a\\\n  b" ', 'a  b', 'b'],
    ['a = "\\d+\\.x" ', '\\d+\\.x', 'x'],
    ['a = bare:word ', 'bare:word', 'word'],
    ['a = "cut off', 'cut off', 'off'],
    ['a = "cut \\"', 'cut "', '"'],
  ])('%j', (source, decoded, part) => {
    const closed = source.endsWith(' ');
    const valueSpan = { start: 4, end: closed ? source.length - 1 : source.length };
    const start = decoded.indexOf(part);
    const span = mapSpan(source, valueSpan, { start, end: start + part.length });
    expect(decodeString(source.slice(span.start, span.end)).text).toBe(part);
    expect(sourceOffset(new SourceText('x.dot', source), valueSpan, start)).toBe(span.start);
  });

  test('an unknown escape is two characters', () => {
    expect([0, 1, 2, 3].map((index) => sourceOffset('"\\dx"', { start: 0, end: 5 }, index))).toEqual([
      1, 2, 3, 4,
    ]);
  });

  test('an empty span stays empty, and indexes behind the end stop there', () => {
    expect(mapSpan('"a\\nb"', { start: 0, end: 6 }, { start: 2, end: 2 })).toEqual({ start: 4, end: 4 });
    expect(sourceOffset('"a\\nb"', { start: 0, end: 6 }, 99)).toBe(5);
    expect(sourceOffset('word', { start: 0, end: 4 }, 99)).toBe(4);
  });

  test('every character is found where it was written', () => {
    const piece = fc.constantFrom(
      'a',
      ' ',
      '\n',
      '\r\n',
      '\\"',
      '\\n',
      '\\t',
      '\\\\',
      '\\d',
      '\\\n',
      'é',
      '😀',
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const raw = pieces.join('');
        const source = `"${raw}"`;
        const { text } = decodeString(raw);
        const offsets = Array.from({ length: text.length + 1 }, (_, index) =>
          sourceOffset(source, { start: 0, end: source.length }, index),
        );
        expect(offsets).toEqual(offsets.toSorted((one, other) => one - other));
        expect(offsets.at(-1)).toBe(source.length - 1);
        offsets.slice(0, -1).forEach((offset, index) => {
          const written =
            source[offset] === '\\' && text[index] !== '\\'
              ? ESCAPES.get(source.slice(offset, offset + 2))
              : source[offset];
          expect(written).toBe(text[index]);
        });
      }),
    );
  });

  const ESCAPES = new Map([
    ['\\"', '"'],
    ['\\n', '\n'],
    ['\\t', '\t'],
  ]);
});
