import { describe, expect, test } from 'vitest';
import { applyFixes } from '../../../src/diagnostic/apply-fixes.js';
import type { KeyEntry, ValueType } from '../../../src/parser/key-list/ast.js';
import { KeyListParser } from '../../../src/parser/key-list/grammar.js';
import { parseKeyList } from '../../../src/parser/key-list/parse.js';
import { fc } from '../../support/fast-check.js';
import { marked } from '../marked.js';

test('the grammar passes the checks of the parser library', () => {
  expect(() => new KeyListParser({ skipValidations: false })).not.toThrow();
});

/** An entry in one spelling, with its default as JSON. */
function outline({ key, type, isOptional, default: literal }: KeyEntry): string {
  return [
    key,
    type === undefined ? '' : `: ${typeText(type)}`,
    isOptional ? '?' : '',
    literal === undefined ? '' : ` = ${JSON.stringify(literal.value)}`,
  ].join('');
}

function typeText(type: ValueType): string {
  return type.kind === 'words' ? type.words.map((word) => JSON.stringify(word)).join('|') : type.kind;
}

describe('100: what is read', () => {
  test.each<readonly [string, readonly string[]]>([
    ['', []],
    [' \n , ; ', []],
    ['plan', ['plan']],
    ['plan, score', ['plan', 'score']],
    ['plan score;diff\n notes,', ['plan', 'score', 'diff', 'notes']],
    ['context.plan, state.score, tool.output', ['plan', 'score', 'tool.output']],
    ['context', ['context']],
    ['files: list', ['files: list']],
    ['files:list,n:integer', ['files: list', 'n: integer']],
    [
      'a: string, b: number, c: integer, d: boolean, e: list, f: map, g: any',
      ['a: string', 'b: number', 'c: integer', 'd: boolean', 'e: list', 'f: map', 'g: any'],
    ],
    ['severity: low|high = low', ['severity: "low"|"high" = "low"']],
    ['severity : low | high', ['severity: "low"|"high"']],
    ['v: "a b"|"string"|1', ['v: "a b"|"string"|"1"']],
    ['token: string?', ['token: string?']],
    ['token?', ['token?']],
    ['limit: integer = 10', ['limit: integer = 10']],
    ['x = -1.5e3, y=true, z=null', ['x = -1500', 'y = true', 'z = null']],
    ['version: string = 1.10', ['version: string = "1.10"']],
    ['n: 1|2 = 1, b: string = true', ['n: "1"|"2" = "1"', 'b: string = "true"']],
    ['name = bob, path = src/a.ts', ['name = "bob"', 'path = "src/a.ts"']],
    ['text = "a, b; c = d"', ['text = "a, b; c = d"']],
    ['l: list = [1, "a", [true], {}], n: integer', ['l: list = [1,"a",[true],{}]', 'n: integer']],
    ['m: map = {"a": 1, "b": {"c": []}}', ['m: map = {"a":1,"b":{"c":[]}}']],
    ['m: map = {"__proto__": 1}', ['m: map = {"__proto__":1}']],
    ['__proto__: map, constructor', ['__proto__: map', 'constructor']],
    ['a: list = [], ; b', ['a: list = []', 'b']],
  ])('%s', (text, expected) => {
    const { list, diagnostics } = parseKeyList(text);
    expect(diagnostics).toEqual([]);
    expect(list?.entries.map(outline)).toEqual(expected);
  });

  test('the text of a default is kept as it is written', () => {
    expect(parseKeyList('v: string =  1.10 , w').list?.entries[0]?.default?.text).toBe('1.10');
  });

  test('a key that is listed twice is a warning in a plain list', () => {
    const { list, diagnostics } = parseKeyList('a, b, a');
    expect(list?.entries).toHaveLength(3);
    expect(diagnostics.map(({ severity, span }) => [severity, span])).toEqual([
      ['warning', { start: 6, end: 7 }],
    ]);
  });
});

describe('100: errors are placed and explained', () => {
  test.each([
    ['a: «strng»', '"strng" is not a type (did you mean "string"?); expected string, number, integer'],
    [
      'a: «low»',
      '"low" is not a type; expected string, number, integer, boolean, list, map, any, or two or more words',
    ],
    ['a: «"low"»', '"low" is not a type'],
    ['a: low|«string»', '"string" is a type, and types cannot be combined'],
    ['a: low|«lo.w»', '"lo.w" contains characters other than'],
    ['a: low|«low»', '"low" is already one of the words'],
    ['a: x|«"x"»', '"x" is already one of the words'],
    ['a: integer «b»', 'found "b" after "a: integer"; expected a comma'],
    ['a: string = foo «bar»', 'found "bar" after "a: string = foo"; expected a comma'],
    ['a = http«:»//x', 'found ":"; expected a comma after the default; put texts with characters other than'],
    ['a «:»', 'found nothing after ":"; expected a type'],
    ['a: low «|»', 'found nothing after "|"; expected another word'],
    ['a «=»', 'found nothing after "="; expected a default'],
    ['a? «=» 3', 'found "="; expected a comma and the next key after "?"'],
    ['a: «=» 3', 'found "="; expected a type'],
    ['«:» string', 'found ":"; expected a key'],
    ['«9lives»: string', '"9lives" is not a key'],
    ['a, «b/c»', '"b/c" is not a key'],
    ['a = «"open', 'the text that begins here has no closing quote'],
    ['a = «[»1, 2', 'the list that begins here is not closed; expected "]"'],
    ['a = [1, «{»"b": 2', 'the map that begins here is not closed; expected "}"'],
    ['a = [«b»]', '"b" is not JSON; put texts within a list or a map in quotes'],
    ['a = {«b»: 1}', 'found "b"; expected JSON members in a map'],
    ['a = «"\\x"»', '"\\x" is not a JSON string'],
    ['a: integer = «ten»', 'the default ten does not have the declared type; expected an integer'],
    ['a: low|high = «"mid"»', 'the default "mid" does not have the declared type; expected one of low, high'],
    ['a: list = «{"b": 1}»', 'expected a list'],
    ['a: string = «[1]»', 'expected a string'],
    ['a: string, b, «a»', '"a" is already in the list'],
  ])('%s', (text = '', message) => {
    const wanted = marked(text.includes('»') ? text : `${text}»`);
    const { list, diagnostics } = parseKeyList(wanted.text);
    expect(list).toBeUndefined();
    expect(diagnostics).toMatchObject([{ rule: 'key_list_syntax', severity: 'error', span: wanted.span }]);
    expect(diagnostics[0]?.message).toContain(message);
  });

  test('a mistake in one entry hides none in the next', () => {
    const { diagnostics } = parseKeyList('a: strng, b: low|, c: string, d = [x], 9');
    expect(diagnostics.map(({ span: { start } }) => start)).toEqual([3, 16, 35, 39]);
    const again = parseKeyList('a: strng, b: string, a: list, b: low');
    expect(again.diagnostics.map(({ code }) => code)).toEqual([
      'not_a_type',
      'repeated_key',
      'repeated_key',
      'not_a_type',
    ]);
  });

  test('a missing comma can be added', () => {
    const text = 'a: string b: number c?';
    const { diagnostics } = parseKeyList(text);
    const fixed = applyFixes(text, diagnostics).text;
    expect(fixed).toBe('a: string, b: number, c?');
    expect(parseKeyList(fixed).diagnostics).toEqual([]);
  });
});

test('no text makes it throw, and every span lies in the text', () => {
  const piece = fc.constantFrom(
    'a',
    'b.c',
    ':',
    '|',
    '?',
    '=',
    ',',
    ';',
    '[',
    ']',
    '{',
    '}',
    '"x"',
    '"',
    ' ',
    '1',
    'string',
    'ü',
    '\\',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const text = pieces.join('');
      for (const { span } of parseKeyList(text).diagnostics) {
        expect(span.start).toBeGreaterThanOrEqual(0);
        expect(span.end).toBeLessThanOrEqual(text.length);
        expect(span.start).toBeLessThanOrEqual(span.end);
      }
    }),
  );
});
