import { inform } from './inform.js';
import type { Interviewer } from './interviewer.js';
import { Race } from './race.js';

/**
 * Asks several interviewers every question at once. The first answer that fits counts, and the others learn
 * that the question is settled. After an answer that does not fit, the question is asked again, a few times;
 * such an answer counts only if no other one can come (SEMANTICS 55c). The question is unanswered only if no
 * interviewer answers; an interviewer that throws leaves the question to the others.
 */
export function firstOf(...interviewers: readonly Interviewer[]): Interviewer {
  return {
    ask: (question, signal, warn) => new Race(interviewers, question, signal, warn).result,
    inform(message, stage) {
      for (const interviewer of interviewers) inform(interviewer, message, stage);
    },
  };
}
