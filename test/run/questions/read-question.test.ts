import { describe, expect, test } from 'vitest';
import type { QuestionDraft, QuestionTypeName } from '../../../src/handlers/question-draft.js';
import type { QuestionType } from '../../../src/machine/interview.js';
import { autoApproveInterviewer } from '../../../src/run/questions/auto-approve.js';
import { matchAnswer } from '../../../src/run/questions/match-answer.js';
import { isMultiSelect, selectedOptions } from '../../../src/run/questions/multi-select.js';
import { readQuestion } from '../../../src/run/questions/read-question.js';

const options = [
  { key: 'A', label: '[A] Approve' },
  { key: 'F', label: 'Fix it' },
  { key: 'L', label: 'Later, perhaps' },
];
const draft: QuestionDraft = { text: 'Ship it?', type: 'MULTIPLE_CHOICE', options };
const read = (changes: Partial<QuestionDraft>) => readQuestion({ ...draft, ...changes }, 'g.1.1.1', 'g');

describe('58: the type of a question', () => {
  test.each<[QuestionTypeName, QuestionType]>([
    ['YES_NO', 'YES_NO'],
    ['MULTIPLE_CHOICE', 'MULTIPLE_CHOICE'],
    ['FREEFORM', 'FREEFORM'],
    ['CONFIRMATION', 'CONFIRMATION'],
    ['SINGLE_SELECT', 'MULTIPLE_CHOICE'],
    ['MULTI_SELECT', 'MULTIPLE_CHOICE'],
    ['FREE_TEXT', 'FREEFORM'],
    ['CONFIRM', 'CONFIRMATION'],
  ])('%s is %s', (name, type) => {
    const question = read({ type: name });
    expect(question).toMatchObject({ id: 'g.1.1.1', stage: 'g', text: 'Ship it?', type, options });
    expect(isMultiSelect(question)).toBe(name === 'MULTI_SELECT');
  });

  test.each<[string, Partial<QuestionDraft>, RegExp]>([
    [
      'of a type that there is not',
      { type: 'GUESS' as QuestionTypeName },
      /type "GUESS"; expected one of YES_NO, .*CONFIRM$/,
    ],
    ['of a type that objects have', { type: 'constructor' as QuestionTypeName }, /type "constructor"/],
    [
      'without options to choose from',
      { type: 'SINGLE_SELECT', options: [] },
      /type SINGLE_SELECT without options/,
    ],
    ['with a default that it does not offer', { default: { value: 'Q' } }, /default answer "Q"/],
    [
      'with a timeout that is none',
      { timeout_seconds: Number.NaN },
      /timeout_seconds NaN; expected a number from 0/,
    ],
  ])('a question %s is refused', (_name, changes, message) => {
    expect(() => read(changes)).toThrow(message);
  });

  test.each<[QuestionTypeName, string, object]>([
    ['SINGLE_SELECT', 'fix it', { value: 'F', selected_option: options[1] }],
    ['MULTI_SELECT', 'f, a', { value: 'A, F', selected_options: options.slice(0, 2) }],
    ['CONFIRM', 'no', { value: 'NO' }],
    ['YES_NO', 'YES', { value: 'YES' }],
    ['FREE_TEXT', 'as you like', { value: 'as you like', text: 'as you like' }],
  ])('the default of a %s may be given as a person would type it', (type, value, expected) => {
    expect(read({ type, default: { value } }).default).toEqual(expected);
  });

  test('needs no options where there is nothing to choose', () => {
    const { options: _options, ...bare } = draft;
    expect(readQuestion({ ...bare, type: 'CONFIRM' }, 'q', 'g').options).toEqual([]);
  });
});

describe('11.8: several of the options', () => {
  const several = read({ type: 'MULTI_SELECT', metadata: { note: 1 } });

  test.each([
    ['A', ['A']],
    ['f,a', ['A', 'F']],
    [' Fix it , 1 ', ['A', 'F']],
    ['F, F', ['F']],
    ['Later, perhaps', ['L']],
    ['A, Q', undefined],
    ['A,', undefined],
    ['', undefined],
  ])('%j chooses %j', (typed, keys) => {
    const answer = matchAnswer(several, typed);
    expect(answer && selectedOptions(answer).map(({ key }) => key)).toEqual(keys);
    expect(answer?.value).toBe(keys?.join(', '));
  });

  test('a question keeps its metadata', () => {
    expect(several.metadata).toMatchObject({ note: 1 });
  });

  test('approval chooses the first', async () => {
    const answer = await autoApproveInterviewer.ask(several, new AbortController().signal);
    expect(answer && selectedOptions(answer)).toEqual(options.slice(0, 1));
  });
});
