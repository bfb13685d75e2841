import { describe, expect, test } from 'vitest';
import { SourceText } from '../../../src/diagnostic/source.js';
import { parseDot } from '../../../src/parser/dot/parse.js';
import { decodeString } from '../../../src/parser/dot/string.js';
import { mapSpan, sourceOffset } from '../../../src/parser/dot/value-places.js';
import { fc } from '../../support/fast-check.js';

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
    ['a = "say "hello" now" ', 'say "hello" now', 'now'],
    ['a = ""x &"& y" ', '"x &"& y', '& y'],
    ['a = "one" + "two" ', 'onetwo', 'two'],
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

  test('an empty span stays empty, and indexes beyond the end stop there', () => {
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

describe('a value that is not a string of its own', () => {
  /** The text of the value, and what of the source stands for a part of it. */
  function found(written: string, part: string): string {
    const source = `digraph g { a [x=${written}] }`;
    const statement = parseDot(source).document.graph?.statements[0];
    const value = statement?.kind === 'node' ? statement.attributes[0]?.value : undefined;
    if (value === undefined) throw new Error(`no value is read from ${written}`);
    const start = value.text.indexOf(part);
    const span = mapSpan(source, value.span, { start, end: start + part.length });
    return source.slice(span.start, span.end);
  }

  test.each([
    ['"one " + "two \\"q\\" three"', 'two', 'two'],
    ['"one " + "two \\"q\\" three"', '"q"', '\\"q\\"'],
    ['"one "/* "+" */+ // "\n "two" + "three"', 'three', 'three'],
    ['"one " + "two"', 'one two', 'one " + "two'],
    ['"a\\\n  b"', 'a', 'a'],
    ["'single quotes'", 'quotes', 'quotes'],
    ['“typographic”', 'graphic', 'graphic'],
    ['bare', 'ar', 'ar'],
  ])('%s: %s', (written, part, expected) => expect(found(written, part)).toBe(expected));
});
