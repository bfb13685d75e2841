import { describe, expect, test } from 'vitest';
import { queueInterviewer } from '../../../src/run/questions/queue.js';
import { typedAnswers } from '../../support/interviewers.js';
import { interviewerContract, questionOf } from './interviewer.contract.js';

interviewerContract('a queue of texts', ({ type }) =>
  queueInterviewer([typedAnswers[type], typedAnswers[type]]),
);
interviewerContract('a queue of answers', ({ type }) =>
  queueInterviewer([{ value: typedAnswers[type] }, { value: typedAnswers[type] }]),
);

const { signal } = new AbortController();
const choice = questionOf('MULTIPLE_CHOICE');

describe('6.4, 11.8: a queue', () => {
  test('57: gives one entry a question, and then skips', async () => {
    const queue = queueInterviewer(['F', 'approve']);
    const given = [];
    for (let count = 0; count < 4; count += 1) given.push((await queue.ask(choice, signal))?.value);
    expect(given).toEqual(['F', 'A', 'SKIPPED', 'SKIPPED']);
  });

  test('55c: keeps an answer that fits no choice as it is', async () => {
    expect(await queueInterviewer(['maybe']).ask(choice, signal)).toEqual({ value: 'maybe' });
  });

  test('keeps its answers for questions that are wanted', async () => {
    const queue = queueInterviewer(['F']);
    expect(await queue.ask(choice, AbortSignal.abort())).toBeUndefined();
    expect(await queue.ask(choice, signal)).toMatchObject({ value: 'F' });
  });
});
