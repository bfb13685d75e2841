import { describe, expect, test } from 'vitest';
import type { Question } from '../../../src/machine/interview.js';
import { absentInterviewer, type Interviewer } from '../../../src/run/questions/interviewer.js';
import { matchAnswer } from '../../../src/run/questions/match-answer.js';
import { answerScript, scriptedInterviewer } from '../../../src/run/questions/scripted-interviewer.js';
import { interviewerContract, questions } from './interviewer.contract.js';

const typed = { YES_NO: 'y', CONFIRMATION: 'No', MULTIPLE_CHOICE: 'fix', FREEFORM: 'as you like' };

interviewerContract('a script', (asked) =>
  scriptedInterviewer(
    answerScript(new Map([['g', [typed[asked.type], typed[asked.type]]]]), () => 0),
    absentInterviewer,
  ),
);

const { signal } = new AbortController();
const freeform = (stage: string): Question => ({ id: 'q', text: '?', type: 'FREEFORM', options: [], stage });

describe('86: scripted answers', () => {
  const inner: Interviewer = { ask: ({ stage }) => Promise.resolve({ value: `inner ${stage}` }) };
  const answers = new Map([['g', ['one', 'two']]]);

  test('come one a question, and are then used up', async () => {
    const scripted = scriptedInterviewer(
      answerScript(answers, () => 0),
      inner,
    );
    const given = [];
    for (let count = 0; count < 3; count += 1) given.push((await scripted.ask(freeform('g'), signal))?.value);
    expect(given).toEqual(['one', 'two', undefined]);
  });

  test('continue after those of an earlier process', async () => {
    const scripted = scriptedInterviewer(
      answerScript(answers, () => 1),
      inner,
    );
    expect((await scripted.ask(freeform('g'), signal))?.value).toBe('two');
    expect(await scripted.ask(freeform('g'), signal)).toBeUndefined();
  });

  test('are warned about if they fit none of the choices', async () => {
    const warnings: string[] = [];
    const options = ['Postgres', 'MySQL'].map((label) => ({ key: label[0] ?? '', label }));
    const question: Question = { ...freeform('g'), type: 'MULTIPLE_CHOICE', options };
    const scripted = scriptedInterviewer(
      answerScript(answers, () => 0),
      inner,
    );
    expect(await scripted.ask(question, signal, (message) => warnings.push(message))).toBeUndefined();
    expect(warnings).toEqual([
      'the prepared answer "one" does not answer "g", which offers: [P] Postgres, [M] MySQL; the question stays open',
    ]);
  });

  test('leave the questions of other stages to the interviewer behind', async () => {
    const scripted = scriptedInterviewer(
      answerScript(answers, () => 0),
      inner,
    );
    expect((await scripted.ask(freeform('h'), signal))?.value).toBe('inner h');
  });

  test('leave messages to it too', () => {
    const told: string[] = [];
    const telling: Interviewer = {
      ...inner,
      inform: (message, stage) => void told.push(`${stage}: ${message}`),
    };
    scriptedInterviewer(
      answerScript(answers, () => 0),
      telling,
    ).inform?.('done', 'g');
    expect(told).toEqual(['g: done']);
  });

  test('are not stopped by one that takes no messages', () => {
    const broken: Interviewer = {
      ...inner,
      inform: () => {
        throw new Error('no line');
      },
    };
    const scripted = scriptedInterviewer(
      answerScript(answers, () => 0),
      broken,
    );
    expect(() => scripted.inform?.('done', 'g')).not.toThrow();
  });
});

describe('6.3: what a person types', () => {
  const [yesNo, , choice, free] = questions;
  if (yesNo === undefined || choice === undefined || free === undefined) throw new Error('no questions');
  const fix = { value: 'F', selected_option: { key: 'F', label: 'Fix it' } };
  test.each<[Question, string, unknown]>([
    [yesNo, 'y', { value: 'YES' }],
    [yesNo, ' YES ', { value: 'YES' }],
    [yesNo, 'no', { value: 'NO' }],
    [yesNo, 'maybe', undefined],
    [yesNo, '', undefined],
    [choice, 'f', fix],
    [choice, 'FIX IT', fix],
    [choice, 'fix', fix],
    [choice, '2', fix],
    [choice, '3', undefined],
    [choice, '0', undefined],
    [choice, '', undefined],
    [choice, 'other', undefined],
    [free, ' words ', { value: 'words', text: 'words' }],
  ])('%o answered %j', (question, text, answer) => {
    expect(matchAnswer(question, text)).toEqual(answer);
  });
});
