import { describe, expect, test } from 'vitest';
import type { Answer, Question } from '../../../src/machine/interview.js';
import { askMultiple } from '../../../src/run/questions/ask-multiple.js';
import { askQuestion } from '../../../src/run/questions/ask-question.js';
import { inform } from '../../../src/run/questions/inform.js';
import {
  absentInterviewer,
  type Interviewer,
  questionSettled,
} from '../../../src/run/questions/interviewer.js';
import { heldInterviewer, turns, typedAnswers } from '../../support/interviewers.js';
import { virtualClock } from '../../support/virtual-clock.js';
import { questionOf, questions } from './interviewer.contract.js';

const { signal } = new AbortController();

function ask(
  question: Question,
  interviewer: Interviewer,
  wanted: AbortSignal = signal,
  problems: string[] = [],
) {
  return askQuestion(question, interviewer, virtualClock(), wanted, (message) => problems.push(message));
}

describe('6.5: a question that is put to an interviewer', () => {
  test.each(questions.map((question) => [question.type, question] as const))(
    'of the type %s gets its answer, however loosely that is given',
    async (type, question) => {
      const typing = (given: unknown) =>
        ask(question, { ask: () => Promise.resolve(given as Answer) }) as Promise<Answer>;
      const answer = await typing(typedAnswers[type]);
      expect(await typing({ value: typedAnswers[type] })).toEqual(answer);
      expect(await typing({ text: typedAnswers[type] })).toMatchObject(answer);
      expect(await typing(answer)).toEqual(answer);
    },
  );

  test.each(questions.map((question) => [question.type, question] as const))(
    'of the type %s times out, after exactly its time',
    async (_type, question) => {
      const clock = virtualClock();
      const held = heldInterviewer();
      const before = clock.now();
      const reply = await askQuestion(
        { ...question, timeout_seconds: 90 },
        held,
        clock,
        signal,
        () => undefined,
      );
      expect(reply).toBe('timed out');
      expect(clock.now() - before).toBe(90_000);
      expect(held.reasonOf(0)).toBe(questionSettled);
    },
  );

  test('is waited out where nobody can be asked (87)', async () => {
    expect(await ask({ ...questionOf('YES_NO'), timeout_seconds: 90 }, absentInterviewer)).toBe('timed out');
    expect(await ask(questionOf('YES_NO'), absentInterviewer)).toBeUndefined();
  });

  test('keeps a remark next to a choice', async () => {
    const remarking: Interviewer = { ask: () => Promise.resolve({ value: 'y', text: 'but soon' }) };
    expect(await ask(questionOf('YES_NO'), remarking)).toEqual({ value: 'YES', text: 'but soon' });
  });

  test('is not held up by an interviewer that does not listen, and may be put again', async () => {
    const deaf: Interviewer = { ask: () => new Promise(() => undefined) };
    const paused = new AbortController();
    const reply = ask(questionOf('YES_NO'), deaf, paused.signal);
    paused.abort(new Error('paused'));
    expect(await reply).toBeUndefined();
  });

  test('that nobody wants answered any more is not a problem of the interviewer', async () => {
    const problems: string[] = [];
    const stopped = new AbortController();
    const rejecting: Interviewer = {
      ask: (_question, wanted) =>
        new Promise((_resolve, reject) => wanted.addEventListener('abort', () => reject(wanted.reason))),
    };
    const reply = ask(questionOf('YES_NO'), rejecting, stopped.signal, problems);
    stopped.abort(new Error('cancelled'));
    expect(await reply).toBeUndefined();
    await turns();
    expect(problems).toEqual([]);
  });

  test('goes unanswered by what is not an answer, which is said', async () => {
    const problems: string[] = [];
    const wrong: Interviewer = { ask: () => Promise.resolve({} as Answer) };
    expect(await ask(questionOf('YES_NO'), wrong, signal, problems)).toBeUndefined();
    expect(problems).toEqual([
      'the question of "g" could not be asked: the interviewer gave an answer without a `value` or a `text`',
    ]);
  });
});

describe('6.1, 75: ask_multiple and inform', () => {
  test('several questions are put one after the other', async () => {
    const held = heldInterviewer();
    const answers = askMultiple(held, questions.slice(0, 2), signal);
    await turns();
    expect(held.asked).toHaveLength(1);
    held.answer(0, { value: 'YES' });
    await turns();
    expect(held.asked).toEqual(questions.slice(0, 2));
    held.answer(1, undefined);
    expect(await answers).toEqual([{ value: 'YES' }, undefined]);
  });

  test('what is not wanted any more is not asked', async () => {
    const held = heldInterviewer();
    expect(await askMultiple(held, questions, AbortSignal.abort())).toEqual(questions.map(() => undefined));
    expect(held.asked).toEqual([]);
  });

  test.each<[string, Interviewer]>([
    ['takes none', absentInterviewer],
    [
      'throws',
      {
        ...absentInterviewer,
        inform: () => {
          throw new Error('no line');
        },
      },
    ],
    [
      'rejects',
      { ...absentInterviewer, inform: () => Promise.reject(new Error('no line')) as unknown as undefined },
    ],
    [
      'never ends',
      { ...absentInterviewer, inform: () => new Promise(() => undefined) as unknown as undefined },
    ],
  ])('a message to an interviewer that %s harms nobody', async (_name, interviewer) => {
    expect(inform(interviewer, 'half done', 'g')).toBeUndefined();
    await turns();
  });
});
