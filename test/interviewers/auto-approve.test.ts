import { describe, expect, test } from 'vitest';
import { autoApproveInterviewer } from '../../src/interviewers/auto-approve.js';
import { interviewerContract, questions } from '../engine/interviewer.contract.js';

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
});
