import { describe, expect, test } from 'vitest';
import type { Answer } from '../../../src/machine/interview.js';
import { autoApproveInterviewer } from '../../../src/run/questions/auto-approve.js';
import { callbackInterviewer } from '../../../src/run/questions/callback.js';
import { firstOf } from '../../../src/run/questions/first-of.js';
import {
  absentInterviewer,
  type Interviewer,
  questionSettled,
} from '../../../src/run/questions/interviewer.js';
import { heldInterviewer, turns } from '../../support/interviewers.js';
import { eventsOf, pipeline, runPipeline } from '../harness.js';
import { interviewerContract, questionOf } from './interviewer.contract.js';

interviewerContract('the first of two', () => firstOf(heldInterviewer(), autoApproveInterviewer));

const { signal } = new AbortController();
const choice = questionOf('MULTIPLE_CHOICE');
const approve: Answer = { value: 'A', selected_option: { key: 'A', label: '[A] Approve' } };
const fix: Answer = { value: 'F', selected_option: { key: 'F', label: 'Fix it' } };

describe('the first of several', () => {
  test('gives the first answer, and tells the others that the question is settled', async () => {
    const [one, two] = [heldInterviewer(), heldInterviewer()];
    const answer = firstOf(one, two).ask(choice, signal);
    expect([one.asked, two.asked]).toEqual([[choice], [choice]]);
    two.answer(0, fix);
    expect(await answer).toEqual(fix);
    expect(one.reasonOf(0)).toBe(questionSettled);
  });

  test('takes one answer of two that come at once', async () => {
    const [one, two] = [heldInterviewer(), heldInterviewer()];
    const answer = firstOf(one, two).ask(choice, signal);
    one.answer(0, approve);
    two.answer(0, fix);
    expect(await answer).toEqual(approve);
  });

  test.each<[string, Answer]>([
    ['an answer that fits no choice', { value: 'maybe' }],
    ['that the time is up', { value: 'TIMEOUT' }],
  ])('leaves the question to the others after %s', async (_name, unfit) => {
    const held = heldInterviewer();
    const answer = firstOf(
      callbackInterviewer(() => unfit),
      held,
    ).ask(choice, signal);
    await turns();
    held.answer(0, fix);
    expect(await answer).toEqual(fix);
  });

  test('gives an answer that fits no choice where no other comes (55c)', async () => {
    const answer = firstOf(
      callbackInterviewer(() => 'maybe'),
      absentInterviewer,
    ).ask(choice, signal);
    expect(await answer).toEqual({ value: 'maybe' });
  });

  test('55c: asks again after an answer that fits no choice, and says why', async () => {
    const told: string[] = [];
    const warnings: string[] = [];
    const answers = ['maybe', 'fix'];
    const hesitant = callbackInterviewer(() => answers.shift(), {
      inform: (message, stage) => told.push(`${stage}: ${message}`),
    });
    const answer = firstOf(hesitant, heldInterviewer()).ask(choice, signal, (text) => warnings.push(text));
    expect(await answer).toEqual(fix);
    expect(told).toEqual(['g: the answer was "maybe", which is not one of the choices: answer with A, F']);
    expect(warnings).toEqual([
      '"g" was answered "maybe", which is not one of the choices: answer with A, F. It is asked again',
    ]);
  });

  test('55c: gives up on one whose answers never fit, and does not wait for the others in silence', async () => {
    const told: string[] = [];
    const warnings: string[] = [];
    let asked = 0;
    const held = heldInterviewer();
    const telling: Interviewer = { ...held, inform: (message) => void told.push(message) };
    const stubborn = callbackInterviewer(() => {
      asked += 1;
      return `no ${asked}`;
    });
    const answer = firstOf(stubborn, telling).ask(choice, signal, (text) => warnings.push(text));
    await turns();
    expect(asked).toBe(3);
    const problem = 'one of the interviewers answered "no 3", which is not one of the choices';
    expect(told).toEqual([problem]);
    expect(warnings.at(-1)).toBe(`the question of "g" waits for the other interviewers: ${problem}`);
    held.answer(0, fix);
    expect(await answer).toEqual(fix);
  });

  test('asks nobody again when the question is settled, and warns of nothing', async () => {
    const warnings: string[] = [];
    const [slow, quick] = [heldInterviewer(), heldInterviewer()];
    const unheeding: Interviewer = { ask: (question) => slow.ask(question, new AbortController().signal) };
    const answer = firstOf(unheeding, quick).ask(choice, signal, (text) => warnings.push(text));
    quick.answer(0, fix);
    await answer;
    slow.answer(0, { value: 'maybe' });
    await turns();
    expect(slow.asked).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  test('takes a skip for an answer', async () => {
    const skipping = callbackInterviewer(() => ({ value: 'SKIPPED' }));
    expect(await firstOf(heldInterviewer(), skipping).ask(choice, signal)).toEqual({ value: 'SKIPPED' });
  });

  test('gives nothing only when all give nothing', async () => {
    const held = heldInterviewer();
    let isOver = false;
    const answer = firstOf(absentInterviewer, held)
      .ask(choice, signal)
      .finally(() => {
        isOver = true;
      });
    await turns();
    expect(isOver).toBe(false);
    held.answer(0, undefined);
    expect(await answer).toBeUndefined();
    expect(await firstOf().ask(choice, signal)).toBeUndefined();
  });

  test('does without one that breaks, and tells the others', async () => {
    const told: string[] = [];
    const warnings: string[] = [];
    const [broken, held] = [heldInterviewer(), heldInterviewer()];
    const telling: Interviewer = { ...held, inform: (message) => void told.push(message) };
    const answer = firstOf(broken, telling).ask(choice, signal, (text) => warnings.push(text));
    broken.fail(0, new Error('the disk is full'));
    await turns();
    held.answer(0, fix);
    expect(await answer).toEqual(fix);
    const problem = 'one interviewer for this question does not work: the disk is full';
    expect(told).toEqual([problem]);
    expect(warnings).toEqual([`the question of "g" waits for the other interviewers: ${problem}`]);
  });

  test('breaks where one broke and nobody else answers', async () => {
    const broken: Interviewer = { ask: () => Promise.reject(new Error('the disk is full')) };
    await expect(firstOf(broken, absentInterviewer).ask(choice, signal)).rejects.toThrow('the disk is full');
  });

  test('takes the question back from all when it is taken back', async () => {
    const held = heldInterviewer();
    const controller = new AbortController();
    const answer = firstOf(held, heldInterviewer()).ask(choice, controller.signal);
    controller.abort(new Error('paused'));
    expect(await answer).toBeUndefined();
    expect(held.reasonOf(0)).toMatchObject({ message: 'paused' });
  });

  test('tells all, whatever one of them makes of it', () => {
    const told: string[] = [];
    const broken: Interviewer = {
      ...absentInterviewer,
      inform: () => {
        throw new Error('no line');
      },
    };
    firstOf(broken, { ...absentInterviewer, inform: (message) => void told.push(message) }).inform?.(
      'hi',
      'g',
    );
    expect(told).toEqual(['hi']);
  });
});

describe('55c: one that gives nothing but answers that fit no choice', () => {
  const gate = pipeline(
    ...['g [shape=hexagon]', 'a', 'b', 'start -> g', 'g -> a [label="Yes"]', 'g -> b [label="No"]'],
    ...['a -> exit', 'b -> exit'],
  );

  /** Answers with these words in turn; the last one repeats. */
  const words = (...said: readonly string[]) => {
    let asked = 0;
    return callbackInterviewer(() => said[Math.min(asked++, said.length - 1)]);
  };

  test.each([
    ['with a question that may wait for ever', gate],
    ['with one that has a timeout', gate.replace('g [shape', 'g [timeout="24h", shape')],
  ])('does not make the run wait for ever, %s', async (_name, dot) => {
    const { result, events } = await runPipeline(dot, { interviewer: firstOf(words('perhaps')) });
    expect(result).toMatchObject({ status: 'success', path: ['start', 'g', 'a', 'exit'] });
    const warnings = eventsOf(events, 'LogAppended').map(({ level, message }) => `${level}: ${message}`);
    expect(warnings).toEqual([
      ...Array(2).fill(
        'warning: "g" was answered "perhaps", which is not one of the choices: answer with Y, N. It is asked again',
      ),
      'warning: "g" was answered "perhaps", which is not one of its choices; "Yes" is taken',
    ]);
  });

  test('may think again', async () => {
    const interviewer = firstOf(words('perhaps', 'no'));
    const { result } = await runPipeline(gate, { interviewer });
    expect(result.path).toEqual(['start', 'g', 'b', 'exit']);
  });

  test.each([
    ['has nobody to ask any more: the run pauses', undefined, 'paused'],
    ['says that the time is up: so it is', { value: 'TIMEOUT' } as const, 'fail'],
  ])('and then %s', async (_name, last, status) => {
    const answers: (Answer | undefined)[] = [{ value: 'perhaps' }, last];
    const first = callbackInterviewer(() => answers.shift());
    const { result } = await runPipeline(gate, { interviewer: firstOf(first) });
    expect(result.status).toBe(status);
  });
});

test('two people who answer at once: one answer is recorded, and the later one gets to know', async () => {
  const late: string[] = [];
  const person = (name: string, answer: string) =>
    callbackInterviewer(() => new Promise<string>((resolve) => setImmediate(() => resolve(answer))), {
      onLate: () => late.push(name),
    });
  const gate = pipeline(
    ...['g [shape=hexagon]', 'a', 'b', 'start -> g', 'g -> a [label="Yes"]', 'g -> b [label="No"]'],
    ...['a -> exit', 'b -> exit'],
  );
  const { result, events } = await runPipeline(gate, {
    interviewer: firstOf(person('Ann', 'No'), person('Bob', 'Yes')),
  });
  expect(result.path).toEqual(['start', 'g', 'b', 'exit']);
  expect(eventsOf(events, 'InterviewCompleted')).toMatchObject([{ answer: { value: 'N' } }]);
  await turns();
  expect(late).toEqual(['Bob']);
});
