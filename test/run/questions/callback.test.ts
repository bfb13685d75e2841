import { describe, expect, test } from 'vitest';
import type { Answer, Question } from '../../../src/machine/interview.js';
import { callbackInterviewer } from '../../../src/run/questions/callback.js';
import { questionSettled } from '../../../src/run/questions/interviewer.js';
import { typedAnswers } from '../../support/interviewers.js';
import { interviewerContract, questionOf } from './interviewer.contract.js';

interviewerContract('a callback that types', () => callbackInterviewer(({ type }) => typedAnswers[type]));
interviewerContract('a callback that takes its time', () =>
  callbackInterviewer(async ({ type }) => {
    await new Promise((resolve) => setImmediate(resolve));
    return { value: typedAnswers[type] };
  }),
);

const { signal } = new AbortController();
const choice = questionOf('MULTIPLE_CHOICE');

describe('6.4, 11.8: a callback', () => {
  test('is given the question and the signal', async () => {
    const given: unknown[] = [];
    await callbackInterviewer((...all) => void given.push(...all)).ask(choice, signal);
    expect(given).toEqual([choice, signal]);
  });

  test.each<[string, Answer | string | undefined, Answer | undefined]>([
    ['the target of a choice', 'fix', { value: 'F', selected_option: { key: 'F', label: 'Fix it' } }],
    ['the value only', { value: 'a' }, { value: 'A', selected_option: { key: 'A', label: '[A] Approve' } }],
    ['what is not one of the choices (55c)', 'maybe', { value: 'maybe' }],
    ['that it was skipped', { value: 'SKIPPED' }, { value: 'SKIPPED' }],
    ['nothing', undefined, undefined],
  ])('may give %s', async (_name, given, answer) => {
    expect(await callbackInterviewer(() => given).ask(choice, signal)).toEqual(answer);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('the chat is down');
      },
    ],
    ['rejects', () => Promise.reject(new Error('the chat is down'))],
  ])('that %s breaks the interviewer, not the caller', async (_name, callback) => {
    await expect(callbackInterviewer(callback).ask(choice, signal)).rejects.toThrow('the chat is down');
  });

  test('that does not listen to the signal holds nobody up, and is told that it was late', async () => {
    const late: [Question, Answer][] = [];
    let answer: (given: string) => void = () => undefined;
    const given = new Promise<string>((resolve) => {
      answer = resolve;
    });
    const controller = new AbortController();
    const interviewer = callbackInterviewer(() => given, { onLate: (...all) => late.push(all) });
    const asked = interviewer.ask(choice, controller.signal);
    controller.abort(questionSettled);
    expect(await asked).toBeUndefined();
    answer('A');
    await given;
    await new Promise((resolve) => setImmediate(resolve));
    expect(late).toMatchObject([[{ id: choice.id }, { value: 'A' }]]);
  });

  test('is not called for a question that nobody wants answered', async () => {
    const called: unknown[] = [];
    const interviewer = callbackInterviewer((question) => void called.push(question));
    expect(await interviewer.ask(choice, AbortSignal.abort())).toBeUndefined();
    expect(called).toEqual([]);
  });
});
