import { describe, expect, it } from 'vitest';
import type { OpenQuestionJson } from '../../../src/server/api/question.js';
import { answerChoices, choiceFor } from '../../../src/web/gates/accelerators.js';
import { timeLeftOf } from '../../../src/web/gates/time-left-of.js';

const question = (parts: Partial<OpenQuestionJson>): OpenQuestionJson => ({
  id: 'q',
  stage: 'gate',
  text: '?',
  details: null,
  type: 'MULTIPLE_CHOICE',
  options: [],
  multi_select: false,
  words: null,
  default: null,
  timeout_seconds: null,
  branch: null,
  asked_at: '2026-01-01T00:00:00.000Z',
  answered: false,
  ...parts,
});

const options = (...keys: readonly string[]) => keys.map((key) => ({ key, label: `label of ${key}` }));

describe('§4.6, §6.2: the keys of choices', () => {
  it.each([
    ['letters, in either case', options('A', 'f'), ['A', 'F']],
    ['a key that is taken belongs to the first', options('a', 'A', 'b'), ['A', undefined, 'B']],
    ['what no single key says has none', options('10', 'OK', '1'), [undefined, undefined, '1']],
    ['a letter beyond ASCII', options('é'), ['É']],
  ] as const)('%s', (_, given, keys) => {
    const choices = answerChoices(question({ options: [...given] }));
    expect(choices.map(({ accelerator }) => accelerator)).toEqual(keys);
    expect(choices.map(({ answer }) => answer)).toEqual(given.map(({ key }) => key));
  });

  it.each([
    ['YES_NO', ['Yes', 'No']],
    ['CONFIRMATION', ['Confirm', 'Decline']],
  ] as const)('%s is answered with Y or N', (type, labels) => {
    const choices = answerChoices(question({ type }));
    expect(choices.map(({ label }) => label)).toEqual(labels);
    expect(choiceFor(choices, 'y')?.answer).toBe('Y');
    expect(choiceFor(choices, 'N')?.answer).toBe('N');
    expect(choiceFor(choices, 'x')).toBeUndefined();
  });

  it.each([
    ['[A] Approve', 'A', 'Approve'],
    ['a) Approve', 'A', 'Approve'],
    ['Approve', 'A', 'Approve'],
    ['[A]', 'A', '[A]'],
    ['[OK] Go', 'OK', '[OK] Go'],
    // The key in the label belongs to another choice, as where two labels declare the same.
    ['[A] Again', '2', '[A] Again'],
  ])('%s with the key %s is shown as %s', (label, key, shown) => {
    expect(answerChoices(question({ options: [{ key, label }] }))[0]?.label).toBe(shown);
  });

  it('FREEFORM has no choices', () => {
    expect(answerChoices(question({ type: 'FREEFORM', options: options('A') }))).toEqual([]);
  });

  it.each([
    ['B', 'MULTIPLE_CHOICE', [false, true]],
    ['label OF b', 'MULTIPLE_CHOICE', [false, true]],
    ['YES', 'YES_NO', [true, false]],
    ['n', 'CONFIRMATION', [false, true]],
    ['elsewhere', 'MULTIPLE_CHOICE', [false, false]],
    [null, 'YES_NO', [false, false]],
  ] as const)('§6.5: the default %s of a %s is told', (fallback, type, marks) => {
    const choices = answerChoices(question({ type, options: options('A', 'B'), default: fallback }));
    expect(choices.map(({ isDefault }) => isDefault)).toEqual(marks);
  });
});

describe('§6.5: the time that is left', () => {
  const asked = Date.parse('2026-01-01T00:00:00.000Z');

  it.each([
    [null, 5000, undefined],
    [60, 5000, 55_000],
    [60, 60_000, 0],
    [60, 999_000, 0],
  ])('of a timeout of %s after %d ms is %s', (timeout, after, left) => {
    expect(timeLeftOf(question({ timeout_seconds: timeout }), asked + after)).toBe(left);
  });
});
