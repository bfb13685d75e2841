import { describe, expect, test } from 'vitest';
import type { Answer, Question } from '../../../src/machine/interview.js';
import type { Interviewer } from '../../../src/run/questions/interviewer.js';
import { isFittingAnswer } from '../../../src/run/questions/is-fitting-answer.js';

const options = [
  { key: 'A', label: '[A] Approve' },
  { key: 'F', label: 'Fix it' },
];

const question: Question = { id: 'g.1.1.1', text: 'Ship it?', type: 'YES_NO', options: [], stage: 'g' };

/** One question of each type (§6.2). */
export const questions: readonly Question[] = [
  question,
  { ...question, type: 'CONFIRMATION' },
  { ...question, type: 'MULTIPLE_CHOICE', options, metadata: { targets: { A: 'ship', F: 'fix' } } },
  { ...question, type: 'FREEFORM' },
];

/** The question of a type. */
export function questionOf(type: Question['type']): Question {
  const found = questions.find((asked) => asked.type === type);
  if (found === undefined) throw new Error(`there is no question of the type ${type}`);
  return found;
}

/**
 * What every interviewer keeps to (§6.1–6.3).
 * @param create makes one that answers every question that it is asked, as many as there may be
 */
export function interviewerContract(name: string, create: (asked: Question) => Interviewer): void {
  describe(`${name}, as an interviewer`, () => {
    test.each(questions.map((asked) => [asked.type, asked] as const))(
      'gives a %s question an answer that fits it',
      async (_type, asked) => {
        expectFitting(asked, await create(asked).ask(asked, new AbortController().signal));
      },
    );

    test('leaves the question as it was, and does not mind being asked again', async () => {
      for (const asked of questions) {
        const before = structuredClone(asked);
        const interviewer = create(asked);
        await interviewer.ask(asked, new AbortController().signal);
        expectFitting(
          asked,
          await interviewer.ask({ ...asked, id: 'g.2.1.1' }, new AbortController().signal),
        );
        expect(asked).toEqual(before);
      }
    });

    test('gives plain data, which a journal can keep', async () => {
      for (const asked of questions) {
        const answer = await create(asked).ask(asked, new AbortController().signal);
        expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
      }
    });

    test('neither hangs nor breaks where no answer is wanted any more', async () => {
      for (const asked of questions) {
        await expect(create(asked).ask(asked, AbortSignal.abort())).resolves.toSatisfy(
          (answer: Answer | undefined) => answer === undefined || isFittingAnswer(asked, answer),
        );
      }
    });

    test('takes a message without waiting for anybody', () => {
      expect(create(question).inform?.('Half of it is done', 'g')).toBeUndefined();
    });
  });
}

function expectFitting(asked: Question, answer: Answer | undefined): void {
  switch (asked.type) {
    case 'YES_NO':
    case 'CONFIRMATION':
      expect(['YES', 'NO']).toContain(answer?.value);
      return;
    case 'MULTIPLE_CHOICE':
      expect(asked.options).toContainEqual(answer?.selected_option);
      expect(answer?.value).toBe(answer?.selected_option?.key);
      return;
    case 'FREEFORM':
      expect(answer?.text).toEqual(expect.any(String));
  }
}
