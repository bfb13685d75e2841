import { describe, expect, test } from 'vitest';
import { decodeString } from '../../../src/parser/dot/string.js';

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
