import { describe, expect, test } from 'vitest';
import type { Condition } from '../../../src/parser/condition/ast.js';
import { parseCondition } from '../../../src/parser/condition/parse.js';
import { printCondition } from '../../../src/parser/condition/print.js';
import { fc } from '../../support/fast-check.js';
import { conditions } from './arbitrary.js';

function reprinted(text: string): string {
  const { condition } = parseCondition(text);
  return condition === undefined ? 'nothing' : printCondition(condition);
}

describe('the canonical text', () => {
  test.each([
    [' outcome = success ', 'outcome=success'],
    ['a==b', 'a=b'],
    ['a=1&&b!=2||c', 'a=1 && b!=2 || c'],
    ['((a) && ((b)))', 'a && b'],
    ['(a || b) && c', '(a || b) && c'],
    ['a || (b && c)', 'a || b && c'],
    ['a && (b && c)', 'a && (b && c)'],
    ['!(a) && !(exists b) && !(!c)', '!a && !exists b && !!c'],
    ['!a=b', '!(a=b)'],
    ['!(a || b)', '!(a || b)'],
    ['n > 3 && m <= 2', 'n>3 && m<=2'],
    ['n not  in [ 1,"b c" ,context.d ]', 'n not in [1, "b c", context.d]'],
    ['a="x"', 'a="x"'],
    ['a="say \\"hi\\" \\\\ \\d"', 'a="say \\"hi\\" \\\\ \\\\d"'],
    ['a=two words', 'a=two words'],
    ['a=f(x)', 'a="f(x)"'],
  ])('%s', (text, expected) => expect(reprinted(text)).toBe(expected));
});

test('an unquoted literal that could not be read again gets quotes', () => {
  const span = { start: 0, end: 0 };
  const of = (value: string, operator: '=' | 'contains'): Condition => ({
    kind: 'comparison',
    operator,
    left: { kind: 'key', path: 'a', span },
    right: { kind: 'literal', value, quoted: false, span },
    span,
  });
  for (const value of ['', ' x', '=x', 'x && y', 'x || y', '"x', 'x)']) {
    expect(printCondition(of(value, '='))).toBe(`a="${value.replaceAll('"', '\\"')}"`);
  }
  expect(printCondition(of('x y', 'contains'))).toBe('a contains "x y"');
});

test('parsing what was printed gives the same condition', () => {
  fc.assert(
    fc.property(conditions, (condition) => {
      const { condition: again, diagnostics } = parseCondition(printCondition(condition));
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(withoutSpans(again)).toEqual(withoutSpans(condition));
    }),
    { numRuns: 1000 },
  );
});

function withoutSpans(condition: Condition | undefined): unknown {
  return JSON.parse(JSON.stringify(condition, (name, value) => (name === 'span' ? undefined : value)));
}
