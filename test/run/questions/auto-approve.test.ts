import { describe, expect, test } from 'vitest';
import { interruptionMetadata, type Question } from '../../../src/machine/interview.js';
import {
  approvingInterviewer,
  autoApproveInterviewer,
  simulatedInterviewer,
} from '../../../src/run/questions/auto-approve.js';
import { interviewerContract, questions } from './interviewer.contract.js';

interviewerContract('auto-approve', () => autoApproveInterviewer);

describe('58a, 6.4, 11.8: auto-approve', () => {
  const { signal } = new AbortController();
  test('says yes, takes the first option, and approves in words', async () => {
    const answers = await Promise.all(questions.map((asked) => autoApproveInterviewer.ask(asked, signal)));
    expect(answers).toEqual([
      { value: 'YES' },
      { value: 'YES' },
      { value: 'A', selected_option: { key: 'A', label: '[A] Approve' } },
      { value: 'auto-approved', text: 'auto-approved' },
    ]);
  });

  test('approves in words where there is nothing to choose', async () => {
    const asked = { id: 'q', text: '?', type: 'MULTIPLE_CHOICE', options: [], stage: 'g' } as const;
    expect(await autoApproveInterviewer.ask(asked, signal)).toEqual({
      value: 'auto-approved',
      text: 'auto-approved',
    });
  });

  describe('whether a stage that was cut off is to run again', () => {
    const [again, done] = [
      { key: 'R', label: 'Run it again' },
      { key: 'D', label: 'It is done' },
    ];
    const asked: Question = {
      id: 'a.1.1.interrupted',
      text: '?',
      type: 'MULTIPLE_CHOICE',
      options: [again, done],
      stage: 'a',
      metadata: interruptionMetadata,
    };
    const person = { ask: () => Promise.resolve({ value: 'D', selected_option: done }) };
    test.each([
      ['is not approved', autoApproveInterviewer, undefined],
      ['is for a person to say', approvingInterviewer(person), { value: 'D', selected_option: done }],
      ['does not matter in a simulation', simulatedInterviewer, { value: 'R', selected_option: again }],
    ])('%s', async (_what, interviewer, answer) => {
      expect(await interviewer.ask(asked, signal)).toEqual(answer);
    });
  });
});
