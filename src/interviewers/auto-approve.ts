import type { Interviewer } from '../engine/runtime/interviewer.js';

const approval = { value: 'auto-approved', text: 'auto-approved' } as const;

/** Says yes, and takes the first of several choices (§6.4): for tests and for runs without people. */
export const autoApproveInterviewer: Interviewer = {
  ask(question) {
    switch (question.type) {
      case 'YES_NO':
      case 'CONFIRMATION':
        return Promise.resolve({ value: 'YES' });
      case 'MULTIPLE_CHOICE': {
        const first = question.options[0];
        return Promise.resolve(first === undefined ? approval : { value: first.key, selected_option: first });
      }
      case 'FREEFORM':
        return Promise.resolve(approval);
    }
  },
};
