import { describe, expect, test } from 'vitest';
import { evaluateCondition, judgeCondition } from '../../src/graph/evaluate-condition.js';
import type { JsonValue } from '../../src/graph/json.js';
import { lookUp } from '../../src/graph/look-up.js';
import { renderTemplate } from '../../src/machine/render-template.js';
import { parseCondition } from '../../src/parser/condition/parse.js';

const values = new Map<string, JsonValue>([
  [
    'parallel.results',
    [
      {
        id: 'a',
        context_updates: {
          verdict: 'ok',
          'tool.last_line': 'done',
          'tool.output': 'o',
          tool: { output: 's' },
        },
      },
      { id: 'b', context_updates: { verdict: null } },
      { id: 'c', context_updates: {} },
    ],
  ],
  ['grid', [[1, 2], [], [3]]],
  ['mixed', [{ rows: [{ n: 1 }, {}] }, { rows: 'none' }, 7]],
  ['map', { 'a.b': { c: 1 }, a: { 'b.c': 2, b: { d: 3 } }, '*': 4, 'x.y': null, x: { y: null } }],
  ['empty', []],
  ['written.*', 'flat'],
]);
const scope = { outcome: 'success', preferredLabel: '', lookup: (key: string) => values.get(key) };

describe('105: * is every member of a list', () => {
  test.each<readonly [string, JsonValue | undefined]>([
    ['parallel.results.*.id', ['a', 'b', 'c']],
    ['context.parallel.results.*.context_updates.verdict', ['ok', null, null]],
    ['grid.*', [[1, 2], [], [3]]],
    ['grid.*.*', [[1, 2], [], [3]]],
    ['grid.*.0', [1, null, 3]],
    ['grid.0.*', [1, 2]],
    ['mixed.*.rows.*.n', [[1, null], null, null]],
    ['empty.*.x', []],
    ['map.*', undefined],
    ['map.a.*', undefined],
    ['parallel.results.0.id.*', undefined],
    ['missing.*.x', undefined],
    ['written.*', 'flat'],
  ])('%s', (key, expected) => {
    expect(lookUp(key, scope)).toEqual(expected);
    const whole = renderTemplate(
      { text: '', parts: [{ kind: 'value', path: key, span: { start: 0, end: 0 } }] },
      (path) => lookUp(path, scope),
    );
    expect(whole).toEqual(expected ?? '');
  });
});

describe('105: inside a value the longest flat key goes first', () => {
  test.each<readonly [string, JsonValue | undefined]>([
    ['parallel.results.0.context_updates.tool.last_line', 'done'],
    ['parallel.results.0.context_updates.tool.output', 'o'],
    ['map.a.b.c', 1],
    ['map.a.b.d', 3],
    ['map.x.y', null],
    ['map.a.b.e', undefined],
  ])('%s', (key, expected) => expect(lookUp(key, scope)).toEqual(expected));
});

describe('105: * on either side of typed operators', () => {
  test.each([
    ['context.parallel.results.*.id contains b', true],
    ['context.parallel.results.*.id contains d', false],
    ['"b" in context.parallel.results.*.id', true],
    ['"d" not in context.parallel.results.*.id', true],
    ['context.parallel.results.*.context_updates.verdict contains ok', true],
    ['context.parallel.results.*.context_updates.verdict contains null', false],
    ['context.mixed.*.rows.*.n contains 1', false],
  ])('%s is %s', (text, expected) => {
    const { condition, diagnostics } = parseCondition(text);
    expect(diagnostics).toEqual([]);
    expect(condition && evaluateCondition(condition, scope)).toBe(expected);
  });
});

test.each([
  ['parallel.results.*.id=a', '"=" compares its whole text'],
  ['parallel.results.*.id != a', '"!=" compares its whole text'],
  ['exists parallel.results.*.id', 'exists even if no member'],
  ['parallel.results.*.id', 'a list is never empty'],
  ['parallel.results.*.n>3', '">" holds for no list'],
])('105: %s is reported', (text, message) => {
  const { diagnostics } = parseCondition(text);
  expect(diagnostics).toMatchObject([{ severity: 'warning', message: expect.stringContaining(message) }]);
});

const reference = { $artifact: 'a.1', size_bytes: 200_000, preview: 'x' };

test.each<readonly [string, JsonValue, object | boolean]>([
  ['list.*.x contains a', [{ x: 'b' }, { x: reference }], { kind: 'put_aside', key: 'list.1.x' }],
  ['list.*.x contains a', [{ x: 'b' }, reference], { kind: 'put_aside', key: 'list.1' }],
  ['list.*.*.x contains a', [[{ x: 'b' }], [reference]], { kind: 'put_aside', key: 'list.1.0' }],
  [
    'list.*.tool.output contains a',
    [{ 'tool.output': 'b' }, { 'tool.output': 'c', 'internal.cut.tool.output': 70_000 }],
    { kind: 'cut', key: 'list.1.tool.output' },
  ],
  ['list.*.x contains a', [{ x: 'b' }, { y: 1 }], false],
])('105, 110: a member of which the context has only a part: %s', (text, list, expected) => {
  const { condition } = parseCondition(text);
  const context = new Map([['list', list]]);
  const judged = condition && judgeCondition(condition, { ...scope, lookup: (key) => context.get(key) });
  expect(judged).toEqual(typeof expected === 'object' ? expect.objectContaining(expected) : expected);
});
