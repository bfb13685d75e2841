import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../src/graph/json.js';
import {
  checkDeclaredInputs,
  type DeclaredInputs,
  readInputTexts,
  withDefaultInputs,
} from '../../../src/graph/values/declared-inputs.js';
import { parseKeyList } from '../../../src/parser/key-list/parse.js';

function declared(text: string): DeclaredInputs {
  const { list, diagnostics } = parseKeyList(text);
  expect(diagnostics).toEqual([]);
  return new Map((list?.entries ?? []).map((entry) => [entry.key, entry]));
}

describe('101: a text is read by the type that is declared for it', () => {
  test.each<readonly [type: string, text: string, value: JsonValue]>([
    ['string', '1.10', '1.10'],
    ['string', '1e5', '1e5'],
    ['string', 'null', 'null'],
    ['string', '', ''],
    ['number', '1.10', 1.1],
    ['number', '1e5', 100_000],
    ['number', 'ten', 'ten'],
    ['integer', '3', 3],
    ['integer', '3.0', 3],
    ['integer', '3.5', '3.5'],
    ['integer', '12345678901234567890', '12345678901234567890'],
    ['boolean', 'true', true],
    ['boolean', 'yes', 'yes'],
    ['list', '["a"]', ['a']],
    ['list', 'a,b', 'a,b'],
    ['map', '{"a": 1}', { a: 1 }],
    ['map', '[1]', '[1]'],
    ['low|high', 'low', 'low'],
    ['1|2', '1', '1'],
    ['any', '2.10', 2.1],
    ['any', 'null', null],
    ['any', '"x"', '"x"'],
    ['any', 'words', 'words'],
  ])('%s %s', (type, text, value) => {
    expect(readInputTexts([['x', text]], declared(`x: ${type}`))).toEqual({ x: value });
  });

  test('97: without a declaration as JSON, except texts', () => {
    const texts = [
      ['a', '3'],
      ['b', '"x"'],
      ['c', '[1]'],
      ['d', 'x'],
      ['__proto__', '1'],
    ] as const;
    const values = readInputTexts(texts, undefined);
    expect(Object.entries(values)).toEqual([
      ['a', 3],
      ['b', '"x"'],
      ['c', [1]],
      ['d', 'x'],
      ['__proto__', 1],
    ]);
  });
});

describe('101: all that is wrong with the inputs is found at once', () => {
  const list = 'files: list, severity: low|high = low, limit: integer = 10, token: string?, note';

  test.each<readonly [given: Readonly<Record<string, JsonValue>>, problems: readonly string[]]>([
    [{ files: [], note: 1 }, []],
    [{ files: [], note: null, token: null }, []],
    [{ files: [], note: '', severity: 'high', limit: 3.0, token: 'x' }, []],
    [{}, ['files: expected a list, but it is not given', 'note: expected any value, but it is not given']],
    [
      { files: 'a', severity: 'hihg', limit: 'ten', token: 3, note: 1 },
      [
        'files: expected a list, found "a"',
        'severity: expected one of low, high, found "hihg"',
        'limit: expected an integer, found "ten"',
        'token: expected a string, found 3',
      ],
    ],
    [{ files: [], note: 1, limit: null }, ['limit: expected an integer, found null']],
    [
      { files: [], note: 1, limt: 3, other: 1, constructor: 2 },
      [
        'limt: not declared (did you mean "limit"?)',
        'other: not declared (the pipeline declares files, severity, limit, token, note)',
        'constructor: not declared (the pipeline declares files, severity, limit, token, note)',
      ],
    ],
    [{ files: { a: 'x'.repeat(100) }, note: 1 }, [`files: expected a list, found {"a":"${'x'.repeat(54)}…`]],
  ])('%j', (given, problems) => {
    const found = checkDeclaredInputs(given, declared(list));
    expect(found.map(({ input, message }) => `${input}: ${message}`)).toEqual(problems);
  });

  test('a graph that declares none takes none, one without a declaration takes any', () => {
    expect(checkDeclaredInputs({ a: 1 }, declared('')).map(({ message }) => message)).toEqual([
      'not declared (the pipeline declares no inputs)',
    ]);
    expect(checkDeclaredInputs({ a: 1 }, undefined)).toEqual([]);
  });
});

test('101: defaults stand in for what is not given', () => {
  const inputs = declared(
    'version: string = 1.10, severity: low|high = low, limit: integer = 3.0, tags: list = ["a"], token?',
  );
  expect(withDefaultInputs({ severity: 'high' }, inputs)).toEqual({
    version: '1.10',
    severity: 'high',
    limit: 3,
    tags: ['a'],
    token: null,
  });
  expect(withDefaultInputs({ x: 1 }, undefined)).toEqual({ x: 1 });
});
