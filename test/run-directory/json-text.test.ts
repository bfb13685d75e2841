import { expect, test } from 'vitest';
import { JsonList, JsonMembers, jsonText } from '../../src/run-directory/json-text.js';
import { fc } from '../support/fast-check.js';

const textOf = (value: object): string => [...jsonText(value)].join('');

test('writes small values as JSON.stringify does', () => {
  fc.assert(
    fc.property(fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())), (value) => {
      expect(textOf(value)).toBe(`${JSON.stringify(value, null, 2)}\n`);
    }),
  );
});

test.each([
  ['a list', Array.from({ length: 5000 }, (_, index) => (index % 7 === 0 ? { index } : `s${index}`))],
  ['an object', Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`"${index}`, { index }]))],
  ['a list within', { a: { b: [[Array.from({ length: 1001 }, (_, index) => index)]] }, c: 1 }],
])('%s that is long keeps all its members, on few lines', (_, value) => {
  const text = textOf(value);
  expect(JSON.parse(text)).toEqual(value);
  expect(text.split('\n').length).toBeLessThan(20);
});

test('a member without a value is left out, as JSON.stringify leaves it out', () => {
  const value = { a: undefined, b: [undefined, 1], c: {}, d: [] };
  expect(textOf(value)).toBe(`${JSON.stringify(value, null, 2)}\n`);
});

test.each([0, 1, 255, 256, 2500])(
  '%d members that are elsewhere are written as if they were there',
  (size) => {
    const values = Array.from({ length: size }, (_, index) => `s${index}`);
    const members = values.map((value): [string, unknown] => [value, { value }]);
    const elsewhere = {
      list: new JsonList({ size, get: (index) => values[index] }),
      object: new JsonMembers(members),
    };
    expect(textOf(elsewhere)).toBe(textOf({ list: values, object: Object.fromEntries(members) }));
  },
);

test('a value may be as deep as JSON.stringify takes it', () => {
  let deep: object = {};
  for (let depth = 0; depth < 3000; depth += 1) deep = { deep };
  expect(JSON.stringify(JSON.parse(textOf(deep)))).toBe(JSON.stringify(deep));
});
