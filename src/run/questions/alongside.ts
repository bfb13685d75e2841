import type { Answer, Question } from '../../machine/interview.js';
import { inform } from './inform.js';
import type { Interviewer } from './interviewer.js';
import { Race } from './race.js';

/**
 * Puts every question to a second interviewer too, as long as there is a reason to wait. Where the first one has nobody to
 * ask, the run is to pause (SEMANTICS 87), unless the question has a timeout, which is waited out. Where the first one gives
 * nothing but answers that fit no choice, the stage decides what becomes of that (SEMANTICS 55c).
 */
export function alongside(first: Interviewer, second: Interviewer): Interviewer {
  return {
    ask(question, signal, warn) {
      const isDecisive = (interviewer: Interviewer, answer: Answer | undefined): boolean =>
        interviewer === first && endsWaiting(question, answer);
      return new Race([first, second], question, signal, { isDecisive, warn }).result;
    },
    inform: (message, stage) => {
      for (const interviewer of [first, second]) inform(interviewer, message, stage);
    },
  };
}

/** @param answer what the first one has given in the end: none, or one that does not fit */
function endsWaiting({ timeout_seconds: timeout }: Question, answer: Answer | undefined): boolean {
  return timeout === undefined || (answer !== undefined && answer.value !== 'TIMEOUT');
}
