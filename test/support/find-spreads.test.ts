import { expect, it } from 'vitest';
import { findSpreads } from './find-spreads.js';

it.each([
  'const a = { ...{ b, c } };',
  'const a = { ...({ b, c } as const) };',
  'const a = { d: [{ ...{ b } }] };',
])('the spread of a literal: %s', (text) => {
  expect(findSpreads(text).ofLiterals).toHaveLength(1);
});

it.each([
  'const a = { ...(b && { b }) };',
  'const a = { ...(b !== undefined && { c: b }) };',
  'const a = { ...(b ? { c } : {}) };',
  'const a = { ...(b ? d : { c }) };',
  'const a = { ...(b && rest(b)) };',
])('a conditional spread: %s', (text) => {
  expect(findSpreads(text).conditional).toHaveLength(1);
});

it.each([
  'const a = { ...b };',
  'const a = { ...b, c };',
  'const a = { ...(b ?? {}) };',
  'const a = { ...(b ? c : d) };',
  'const a = [...(b ? [c] : [])];',
  'const a = f(...b);',
  'const { b, ...c } = a;',
])('neither: %s', (text) => {
  expect(findSpreads(text)).toEqual({ ofLiterals: [], conditional: [] });
});

it('tells the line and the text', () => {
  expect(findSpreads('const a = {\n  b,\n  ...(c && {\n    c,\n  }),\n};').conditional).toEqual([
    '3: ...(c && { c, })',
  ]);
});
