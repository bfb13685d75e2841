import { type Answer, isInterruption, type Question } from '../../machine/interview.js';
import { absentInterviewer, type Interviewer } from './interviewer.js';

/**
 * Says yes, and takes the first of several choices (§6.4): for tests and for runs without people. The
 * question about an interrupted stage with `idempotent=false` needs a person, so it stays open.
 */
export const autoApproveInterviewer: Interviewer = approvingInterviewer(absentInterviewer);

/** Like `autoApproveInterviewer`, but a person answers what cannot be approved. */
export function approvingInterviewer(person: Interviewer): Interviewer {
  return {
    ask(question, signal, warn) {
      return isInterruption(question) ? person.ask(question, signal, warn) : approve(question);
    },
  };
}

/** Approves everything: for simulations, in which no stage does anything that must not be repeated. */
export const simulatedInterviewer: Interviewer = {
  async ask(question) {
    const answer = await approve(question);
    return question.words === 'required' ? { ...answer, text: '[Simulated] text' } : answer;
  },
};

const approval = { value: 'auto-approved', text: 'auto-approved' } as const;

/** Gives no text besides a choice, so that a gate that requires one stays open (SEMANTICS 109). */
function approve(question: Question): Promise<Answer> {
  switch (question.type) {
    case 'YES_NO':
    case 'CONFIRMATION':
      return Promise.resolve({ value: 'YES' });
    case 'MULTIPLE_CHOICE': {
      const first = question.options[0];
      return Promise.resolve(first === undefined ? approval : { value: first.key, selected_option: first });
    }
    case 'FREEFORM':
      return Promise.resolve(question.words === 'required' ? { value: '' } : approval);
  }
}
