import { describe, expect, test } from 'vitest';
import type { Diagnostic, Severity } from '../../src/diagnostic/diagnostic.js';
import { fixUntilStable } from '../../src/lint/fix-until-stable.js';

/** Finds every place of a word; the fix writes another word there. */
function replacing(word: string, other: string, severity: Severity = 'warning', rule = word) {
  return (text: string): readonly Diagnostic[] =>
    [...text.matchAll(new RegExp(word, 'g'))].map(({ index }) => {
      const span = { start: index, end: index + word.length };
      return { rule, severity, message: 'm', span, fix: { title: 't', edits: [{ span, text: other }] } };
    });
}

const finding =
  (...rules: readonly ((text: string) => readonly Diagnostic[])[]) =>
  (text: string) =>
    rules.flatMap((rule) => rule(text));

describe('98: fixes are made until nothing more can be fixed', () => {
  test('also those that only other fixes make possible', () => {
    const { text, fixed, withheld } = fixUntilStable(
      'a x',
      finding(replacing('a', 'b'), replacing('b', 'c')),
    );
    expect(text).toBe('c x');
    expect(fixed.map(({ rule }) => rule)).toEqual(['a', 'b']);
    expect(withheld).toEqual([]);
  });

  test('those that had to make way get their turn', () => {
    expect(
      fixUntilStable('aab', finding(replacing('aa', 'x'), replacing('ab', 'y'), replacing('b', 'c'))).text,
    ).toBe('xc');
  });

  test.each([
    ['one among many', 'a a z a a a', 'b b z b b b', 1],
    ['all of them', 'z z', 'z z', 2],
    ['none', 'a a', 'b b', 0],
  ])('but none that adds an error: %s', (_, text, expected, withheld) => {
    const check = finding(replacing('a', 'b'), replacing('z', '!'), replacing('!', '?', 'error'));
    const result = fixUntilStable(text, check);
    expect(result.text).toBe(expected);
    expect(result.withheld).toHaveLength(withheld);
  });

  test('an error of another rule in the place of one is one too many, unless it was hidden before', () => {
    const check = finding(replacing('a', 'b', 'error'), replacing('b', 'b', 'error'));
    expect(fixUntilStable('a', check).text).toBe('a');
    const hiding = (text: string): readonly Diagnostic[] =>
      text.includes('a')
        ? replacing(
            'a',
            'b',
            'error',
            'syntax',
          )(text).map((one) => ({ ...one, code: 'unexpected_character' }))
        : replacing('b', 'b', 'error')(text);
    expect(fixUntilStable('a', hiding).text).toBe('b');
    expect(fixUntilStable('a b', hiding).text).toBe('a b');
  });

  test('what was withheld makes way for another fix at its place', () => {
    const check = finding(replacing('ab', '!'), replacing('b', 'c'), replacing('!', '?', 'error'));
    expect(fixUntilStable('ab', check)).toMatchObject({ text: 'ac', withheld: [] });
  });

  test.each(['a', 'b', 'c'])('fixes that go round in a circle end at the same text from %s', (text) => {
    const check = finding(replacing('a', 'b'), replacing('b', 'c'), replacing('c', 'a'));
    expect(fixUntilStable(text, check).text).toBe('a');
  });

  test('fixes that feed one another come to an end', () => {
    expect(fixUntilStable('a', replacing('a', 'aa')).text).toMatch(/^a{2,11000}$/);
    expect(fixUntilStable('a', replacing('a', 'xa')).text).toMatch(/^x{50,200}a$/);
  });
});
