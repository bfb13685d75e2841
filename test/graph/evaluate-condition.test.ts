import { describe, expect, test } from 'vitest';
import {
  type ConditionScope,
  evaluateCondition,
  explainCondition,
  resolveKey,
} from '../../src/graph/evaluate-condition.js';
import type { JsonValue } from '../../src/graph/json.js';
import { textOfValue } from '../../src/graph/look-up.js';
import type { Condition } from '../../src/parser/condition/ast.js';
import { parseCondition } from '../../src/parser/condition/parse.js';
import { conditions } from '../parser/condition/arbitrary.js';
import { fc } from '../support/fast-check.js';

function scopeOf(
  values: Iterable<readonly [string, JsonValue]>,
  outcome = 'success',
  label = '',
): ConditionScope {
  const context = new Map(values);
  return { outcome, preferredLabel: label, lookup: (key) => context.get(key) };
}

function read(text: string): Condition {
  const { condition } = parseCondition(text);
  if (condition === undefined) throw new Error(`${text} is not a condition`);
  return condition;
}

/** What the tables below see; the outcome is "success", its label "Fix". */
const scope = scopeOf(
  [
    ['outcome', 'fail'],
    ['preferred_label', 'stale'],
    ['plain', 'text'],
    ['context.plain', 'written with its prefix'],
    ['only_bare', 'b'],
    ['n', 3],
    ['numeral', ' 8\n'],
    ['float', 2.5],
    ['yes', true],
    ['no', false],
    ['zero', 0],
    ['empty', ''],
    ['nothing', null],
    ['tags', ['a', 2, 'c d', null, ['x']]],
    ['user', { name: 'Ada', roles: ['admin', { level: 7 }], 'dotted.name': 1, nothing: null }],
    ['tool.output', 'built 12 files\n0 failed'],
    ['tool', { output: 'shadowed', other: 'walked' }],
    ['human.gate.selected', 'A'],
    ['context.deep', { a: { b: 'prefixed' } }],
    ['deep.a', { b: 'longer' }],
    ['json', '{"a":1}'],
    ['date', '2026-02-28'],
    ['pattern', '^t.xt$'],
    ['bad_pattern', '('],
    ['own', JSON.parse('{"__proto__":"own","list":[1]}')],
  ],
  'success',
  'Fix',
);

describe.each<readonly [string, readonly (readonly [string, boolean])[]]>([
  [
    '§10.3: equality of texts, exact and case-sensitive',
    [
      ['outcome=success', true],
      ['outcome=Success', false],
      ['outcome!=success', false],
      ['outcome=fail', false],
      ['plain=text', true],
      ['context.only_bare=b', true],
      ['context.only_bare="b"', true],
      ['context.only_bare!=b', false],
      ['outcome=success && context.yes=true', true],
      ['outcome=success && context.yes=false', false],
    ],
  ],
  [
    '69: outcome and preferred_label are those of the outcome',
    [
      ['preferred_label=Fix', true],
      ['context.preferred_label=stale', true],
      ['context.outcome=fail', true],
      ['state.outcome=fail', true],
    ],
  ],
  [
    '44c: lookup',
    [
      ['context.plain="written with its prefix"', true],
      ['state.plain=text', true],
      ['human.gate.selected=A', true],
      ['context.human.gate.selected=A', true],
      ['tool.output contains built', true],
      ['tool.other=walked', true],
      ['context.tool.other=walked', true],
      ['user.name=Ada', true],
      ['context.user.name=Ada', true],
      ['state.user.roles.0=admin', true],
      ['context.user.roles.1.level=7', true],
      ['context.deep.a.b=longer', true],
      ['context.own.__proto__=own', true],
      ['exists context.own.list.length', false],
      ['exists context.own.constructor', false],
      ['exists context.own.list.0', true],
      ['exists context.own.list.00', false],
      ['exists context.user.roles.2', false],
      ['exists context.plain.0', false],
      ['exists context', false],
      ['exists __proto__', false],
    ],
  ],
  [
    '44d: missing keys',
    [
      ['context.x=foo', false],
      ['context.x!=foo', true],
      ['context.x=""', true],
      ['context.x!=""', false],
      ['context.nothing=""', true],
      ['exists context.x', false],
      ['exists context.nothing', false],
      ['exists context.empty', true],
      ['exists context.no', true],
      ['exists outcome', true],
      ['context.x < 3', false],
      ['context.x >= 3', false],
      ['3 > context.x', false],
      ['context.x < "z"', false],
      ['context.x in ["", a]', false],
      ['context.x not in ["", a]', true],
      ['context.x contains ""', false],
      ['context.x matches ".*"', false],
      ['context.plain contains context.x', false],
      ['context.plain in context.x', false],
      ['context.plain not in context.x', true],
      ['context.plain matches context.x', false],
      ['"" in [context.x]', false],
      ['context.nothing in [""]', false],
    ],
  ],
  [
    '44b: bare operands',
    [
      ['yes', true],
      ['no', false],
      ['zero', false],
      ['empty', false],
      ['nothing', false],
      ['missing', false],
      ['plain', true],
      ['tags', true],
      ['outcome', true],
      ['"false"', false],
      ['"x"', true],
      ['0', false],
      ['1', true],
      ['!missing', true],
      ['true', true],
      ['false', false],
    ],
  ],
  [
    '44f: values as text',
    [
      ['n=3', true],
      ['n="3"', true],
      ['n=3.0', false],
      ['float=2.5', true],
      ['yes=true', true],
      ['no=false', true],
      ['user.roles="[\\"admin\\",{\\"level\\":7}]"', true],
      ['json="{\\"a\\":1}"', true],
    ],
  ],
  [
    '§12 Condition language: numbers by value, texts by code units, nothing else',
    [
      ['n>2', true],
      ['n>3', false],
      ['n>=3', true],
      ['n<=3.0', true],
      ['n<10', true],
      ['numeral>5', true],
      ['numeral<"10"', true],
      ['"10">9', true],
      ['3<context.numeral', true],
      ['3<numeral', false],
      ['n<context.numeral', true],
      ['date>"2026-01-31"', true],
      ['date<"2026-01-31"', false],
      ['plain>a', true],
      ['plain<3', false],
      ['plain>=3', false],
      ['3>context.plain', false],
      ['plain>"3"', true],
      ['empty<3', false],
      ['yes>0', false],
      ['yes>=true', false],
      ['tags>0', false],
    ],
  ],
  [
    'in and not in',
    [
      ['outcome in [success, partial_success]', true],
      ['outcome in [fail]', false],
      ['outcome not in [fail]', true],
      ['n in [1, 2, 3.0]', true],
      ['numeral in [8]', true],
      ['plain in [Text]', false],
      ['yes in [true]', true],
      ['"a" in context.tags', true],
      ['"2.0" in context.tags', true],
      ['"b" in context.tags', false],
      ['"b" not in context.tags', true],
      ['plain in [context.plain, text]', true],
      ['plain in "some text"', true],
      ['context.user.roles.0 in context.user.roles', true],
    ],
  ],
  [
    'contains',
    [
      ['tool.output contains "12 files"', true],
      ['tool.output contains Built', false],
      ['tags contains "c d"', true],
      ['tags contains c', false],
      ['tags contains 2', true],
      ['plain contains ""', true],
      ['n contains 3', true],
    ],
  ],
  [
    'matches',
    [
      ['plain matches ex', true],
      ['plain matches ^ex', false],
      ['tool.output matches "[1-9]\\d* files"', true],
      ['tool.output matches "(?m)^0 failed$"', true],
      ['n matches ^3$', true],
      ['state.plain matches context.pattern', true],
      ['plain matches context.bad_pattern', false],
    ],
  ],
  [
    'connectives',
    [
      ['outcome=fail || n=3 && yes', true],
      ['(outcome=fail || n=3) && no', false],
      ['!(outcome=fail || no)', true],
      ['!!yes', true],
    ],
  ],
])('%s', (_, cases) => {
  test.each(cases)('%s is %s', (text, expected) => {
    expect(evaluateCondition(read(text), scope)).toBe(expected);
  });
});

test.each<readonly [string, JsonValue | undefined]>([
  ['n', 3],
  ['context.n', 3],
  ['user.roles', ['admin', { level: 7 }]],
  ['nothing', null],
  ['context.user.nothing', null],
  ['missing', undefined],
  ['context.context.n', undefined],
  ['outcome', 'success'],
  ['context.outcome', 'fail'],
])('the value of %s keeps its type', (key, expected) => {
  expect(resolveKey(key, scope)).toEqual(expected);
});

test.each<readonly [JsonValue | undefined, string]>([
  [undefined, ''],
  [null, ''],
  ['a', 'a'],
  [1.5, '1.5'],
  [-0, '0'],
  [1e21, '1e+21'],
  [true, 'true'],
  [['a', 1, null], '["a",1,null]'],
  [{ a: [] }, '{"a":[]}'],
])('%j as text', (value, expected) => expect(textOfValue(value)).toBe(expected));

describe('explaining', () => {
  test.each([
    [
      'outcome=fail && context.x>3',
      'outcome=fail (outcome is "success") && context.x>3 (context.x is missing)',
    ],
    ['!(n=3 || yes)', '!(n=3 (n is 3) || yes (yes is true))'],
    ['exists nothing', 'exists nothing (nothing is null)'],
    [
      'n in [context.zero, 1, state.n]',
      'n in [context.zero, 1, state.n] (n is 3, context.zero is 0, state.n is 3)',
    ],
    ['float<context.n', 'float<context.n (float is 2.5, context.n is 3)'],
    ['true || "x"', 'true || "x"'],
  ])('%s', (text, expected) => expect(explainCondition(read(text), scope)).toBe(expected));

  test('a long value is cut', () => {
    const long = scopeOf([['a', 'x'.repeat(500)]]);
    expect(explainCondition(read('a=b'), long)).toBe(`a=b (a is "${'x'.repeat(79)}… (502 characters))`);
  });
});

test('a condition of 20 000 clauses needs no deep stack', () => {
  const text = Array.from({ length: 20_000 }, (_, index) => `context.k${index}=""`).join(' && ');
  expect(evaluateCondition(read(text), scope)).toBe(true);
});

describe('properties', () => {
  const keys = fc.constantFrom(
    'a',
    'context.a',
    'n',
    'state.n',
    'tool.output',
    'tool',
    'a.b',
    'in',
    '__proto__',
  );
  const scopes = fc
    .tuple(fc.array(fc.tuple(keys, fc.jsonValue() as fc.Arbitrary<JsonValue>)), fc.string(), fc.string())
    .map(([values, outcome, label]) => scopeOf(values, outcome, label));

  test('evaluation and explanation never throw; ! negates; && and || are those of JavaScript', () => {
    const span = { start: 0, end: 0 };
    fc.assert(
      fc.property(conditions, conditions, scopes, (a, b, values) => {
        const holds = (condition: Condition) => evaluateCondition(condition, values);
        expect(holds({ kind: 'not', operand: a, span })).toBe(!holds(a));
        expect(holds({ kind: 'and', operands: [a, b], span })).toBe(holds(a) && holds(b));
        expect(holds({ kind: 'or', operands: [a, b], span })).toBe(holds(a) || holds(b));
        expect(explainCondition(a, values)).not.toBe('');
      }),
      { numRuns: 500 },
    );
  });

  test('= and !=, in and not in are negations of each other, whatever is missing', () => {
    fc.assert(
      fc.property(conditions, scopes, (condition, values) => {
        if (condition.kind !== 'comparison') return;
        const opposite = new Map([
          ['=', '!='],
          ['!=', '='],
          ['in', 'not in'],
          ['not in', 'in'],
        ] as const);
        const operator = opposite.get(condition.operator as '=');
        if (operator === undefined) return;
        expect(evaluateCondition({ ...condition, operator }, values)).toBe(
          !evaluateCondition(condition, values),
        );
      }),
      { numRuns: 500 },
    );
  });
});
