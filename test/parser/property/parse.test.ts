import { describe, expect, it } from 'vitest';
import { parseProperty } from '../../../src/parser/property/parse.js';

describe('a property that cannot be read', () => {
  it.each([
    ['', 'found the end of the property; expected a sentence that begins with "never", "at most"', ''],
    ['never', 'found the end of the property; expected "more than" or a stage', 'never'],
    ['publish', 'found the end of the property; expected "=", "or" or "only after"', 'publish'],
    ['publish only when tested', 'found "only"; expected "=", "or" or "only after"', 'only'],
    ['at most few stages', 'found "few"; expected a number', 'few'],
    ['after a, b', 'found the end of the property; expected "=", "or" or "before"', 'b'],
    ['every run that passes', 'found "passes"; expected "completes" or "reaches"', 'passes'],
    [
      'every run that completes has test since',
      'found "since"; expected "=", "or", "since the last"',
      'since',
    ],
    ['never after', 'found "after"; expected "more than" or a stage', 'after'],
    ['x only after never', 'to name a stage "never", put it in quotes', 'never'],
    ['class', 'expected the name of a class', 'class'],
    ['never "a', 'the text that begins here has no closing quote', '"a'],
    ['a = ', 'expected an answer or an outcome, such as yes or success', '='],
  ])('%s: %s', (text, message, at) => {
    const [finding, ...more] = parseProperty(text).diagnostics;
    expect(finding?.message).toContain(message);
    expect(text.slice(finding?.span.start, finding?.span.end)).toBe(at);
    expect(more).toEqual([]);
  });

  it('never throws, whatever the text', () => {
    for (const text of ['"', '\\', '=,"', 'or or or', '\u0000', 'never '.repeat(5000)])
      expect(parseProperty(text).diagnostics).toHaveLength(1);
  });
});

it('a name in quotes may be any text', () => {
  expect(parseProperty(String.raw`never "a \"b\" or c"`).property).toMatchObject({
    counted: [{ stages: { kind: 'named', name: { text: 'a "b" or c' } } }],
  });
});
