import { describe, expect, test } from 'vitest';
import type { LiteralOperand } from '../../../src/parser/condition/ast.js';
import {
  compilePattern,
  maxPatternLength,
  maxSubjectLength,
  patternOf,
} from '../../../src/parser/condition/pattern.js';

function search(pattern: string, subject: string): boolean {
  const result = compilePattern(pattern);
  return result.kind === 'pattern' && result.pattern.test(subject);
}

test.each([
  ['b', 'abc', true],
  ['^b', 'abc', false],
  ['^a.c$', 'abc', true],
  ['(?i)ABC', 'abc', true],
  ['\\bfail(ed|ure)?\\b', '2 tests failed', true],
  ['\\p{Lu}', 'é', false],
  ['', 'x', true],
])('%s searched in %s: %s', (pattern, subject, expected) => expect(search(pattern, subject)).toBe(expected));

test.each(['^(a+)+$', '(a|aa)*$', '(.*)*x', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
  '%s does not blow up',
  (pattern) => {
    expect(search(pattern, `${'a'.repeat(maxSubjectLength - 1)}!`)).toBe(pattern === '(a|aa)*$');
  },
);

describe('limits', () => {
  test('what lies beyond the limit of the subject is not seen', () => {
    expect(search('x', `${'a'.repeat(maxSubjectLength - 1)}x`)).toBe(true);
    expect(search('x', `${'a'.repeat(maxSubjectLength)}x`)).toBe(false);
  });

  test('the pattern', () => {
    expect(compilePattern('x'.repeat(maxPatternLength)).kind).toBe('pattern');
    expect(compilePattern('x'.repeat(maxPatternLength + 1)).kind).toBe('invalid');
  });

  test.each(['(', 'a**', '[z-a]', '(?<=a)b', '\\1', 'x{1001}', '\\'])(
    '%s is refused with a reason',
    (pattern) => {
      expect(compilePattern(pattern)).toEqual({ kind: 'invalid', reason: expect.stringMatching(/./) });
    },
  );
});

test('a literal is compiled once', () => {
  const literal: LiteralOperand = { kind: 'literal', value: 'a+', quoted: true, span: { start: 0, end: 4 } };
  expect(patternOf(literal)).toBe(patternOf(literal));
});
